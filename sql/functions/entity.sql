-- The form in which an entity is stored and compared: name, or name/kind.
--
-- The name is cut into pieces and joined again, as phrases() does with a
-- question: 方案B and "方案 b", Node.js and "node js" are then the same name. It is
-- cut at 128 characters, as a word is. A kind without a name is nothing.
create function aimemory.entity(written text)
returns text
language sql immutable parallel safe
begin atomic
    select case when f.name = '' then ''
                else rtrim(left(f.name, 128)) || coalesce('/' || nullif(f.kind, ''), '')
           end
      from (select coalesce(nullif(btrim(string_agg(
                                case when p.glued then '' else ' ' end || p.piece, ''
                                order by p.place)), ''),
                            btrim(replace(aimemory.normalized(n.name), '/', ' '))) as name,
                   aimemory.normalized(n.kind) as kind
              from (select regexp_replace(written, '/[^/]*$', '') as name,
                           substring(written from '/([^/]*)$') as kind) n
              left join lateral aimemory.pieces(n.name) p on true
             group by n.name, n.kind) f;
end;

comment on function aimemory.entity is
    'Canonical form of an entity written name or name/kind, as stored in memories.entities.';

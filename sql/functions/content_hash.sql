-- A fingerprint that is equal when two sentences differ in nothing that matters:
-- case, width, spaces and sentence punctuation.
--
-- A sign that changes a number or a word is kept: 3.5 is not 35, -5 is not 5,
-- "5 - 3" is not 53, C++ is not C, "we're" is not "were". So is a space between
-- two words, for "a nice day" is not "an ice day"; beside Chinese it says nothing.
create function aimemory.content_hash(input text)
returns text
language sql immutable parallel safe
begin atomic
    with plain as (
        select btrim(regexp_replace(
                   regexp_replace(
                       translate(aimemory.normalized(input), '‘’', ''''''),
                       '(?:[ 。、“”「」『』《》·"()!?;]'
                       || '|[.,:''~-](?![a-z0-9\u00c0-\u1fff\uac00-\ud7af])'
                       || '|(?<![a-z0-9\u00c0-\u1fff\uac00-\ud7af])(?:[,:'']|[.~-](?![0-9])))+',
                       ' ', 'g'),
                   '(?<![a-z0-9\u00c0-\u1fff\uac00-\ud7af]) | (?![a-z0-9\u00c0-\u1fff\uac00-\ud7af])',
                   '', 'g')) as text
    )
    select encode(sha256(convert_to(
               case when p.text = '' then input else p.text end, 'UTF8')), 'hex')
      from plain p;
end;

comment on function aimemory.content_hash is
    'SHA-256 of a text without case, spaces and sentence punctuation; equal means said again.';

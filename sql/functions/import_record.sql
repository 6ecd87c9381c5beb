-- Store one record of an export that is not a memory; what is there already stays as it is.
--
-- The history of a memory comes only with that memory. A turn whose number is taken by
-- other words differs, and is left out.
create function aimemory.import_record(for_user text, what text, given jsonb)
returns text
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    if what = 'user' then
        insert into aimemory.users
            (user_id, time_zone, created_at, learning, usage_day, usage_calls, usage_tokens)
        select for_user, u.time_zone, u.created_at, u.learning, u.usage_day, u.usage_calls,
               u.usage_tokens
          from jsonb_to_record(given) as u(
               time_zone text, created_at timestamptz, learning boolean, usage_day date,
               usage_calls integer, usage_tokens bigint)
        on conflict do nothing;
    elsif what = 'alias' then
        insert into aimemory.entity_aliases (user_id, alias, entity_name, entity_kind)
        select for_user, a.alias, a.entity_name, a.entity_kind
          from jsonb_to_record(given) as a(
               alias text, entity_name text, entity_kind text)
        on conflict do nothing;
    elsif what = 'revision' then
        if not exists (select from aimemory.all_memories m
                        where m.user_id = for_user
                          and m.memory_id = (given ->> 'memory_id')::uuid) then
            return 'skipped';
        end if;
        insert into aimemory.memory_revisions
            (user_id, memory_id, revision, action, reason, actor, content, details, changed_at)
        select for_user, r.memory_id, r.revision, r.action, r.reason, r.actor, r.content,
               r.details, r.changed_at
          from jsonb_to_record(given) as r(
               memory_id uuid, revision integer, action text, reason text, actor text,
               content text, details jsonb, changed_at timestamptz)
        on conflict do nothing;
    elsif what = 'session' then
        insert into aimemory.sessions
            (user_id, session_id, started_at, last_turn_at, turn_count, closed_at)
        select for_user, s.session_id, s.started_at, s.last_turn_at, s.turn_count, s.closed_at
          from jsonb_to_record(given) as s(
               session_id text, started_at timestamptz, last_turn_at timestamptz,
               turn_count integer, closed_at timestamptz)
        on conflict do nothing;
        if not found then
            -- A turn that is said later must not take the number of an imported one.
            update aimemory.sessions s
               set turn_count = greatest(s.turn_count, (given ->> 'turn_count')::integer)
             where s.user_id = for_user and s.session_id = given ->> 'session_id';
            return 'known';
        end if;
    elsif what = 'turn' then
        if exists (select from aimemory.turns t
                    where t.user_id = for_user and t.session_id = given ->> 'session_id'
                      and t.turn_no = (given ->> 'turn_no')::integer
                      and (t.role, t.content) <> (given ->> 'role', given ->> 'content')) then
            return 'differs';
        end if;
        insert into aimemory.turns
            (user_id, session_id, turn_no, role, content, said_at, extracted_at, attempts,
             last_error)
        select for_user, t.session_id, t.turn_no, t.role, t.content, t.said_at, t.extracted_at,
               t.attempts, t.last_error
          from jsonb_to_record(given) as t(
               session_id text, turn_no integer, role text, content text, said_at timestamptz,
               extracted_at timestamptz, attempts integer, last_error text)
        on conflict do nothing;
    elsif what = 'candidate' then
        insert into aimemory.candidates
            (user_id, candidate_id, content, content_hash, memory_type, importance, scope, slot,
             proposal, state, reason, memory_id, created_at, decided_at)
        select for_user, c.candidate_id, c.content, aimemory.content_hash(c.content),
               c.memory_type, c.importance, c.scope, c.slot, c.proposal, c.state, c.reason,
               c.memory_id, c.created_at, c.decided_at
          from jsonb_to_record(given) as c(
               candidate_id uuid, content text, memory_type text, importance double precision,
               scope text, slot text, proposal jsonb, state text, reason text, memory_id uuid,
               created_at timestamptz, decided_at timestamptz)
        on conflict do nothing;
    elsif what = 'veto' then
        if exists (select from aimemory.vetoes v
                    where v.user_id = for_user
                      and v.content_hash is not distinct from given ->> 'content_hash'
                      and v.slot is not distinct from given ->> 'slot') then
            return 'known';
        end if;
        insert into aimemory.vetoes (user_id, veto_id, content_hash, slot, reason, created_at)
        select for_user, v.veto_id, v.content_hash, v.slot, v.reason, v.created_at
          from jsonb_to_record(given) as v(
               veto_id uuid, content_hash text, slot text, reason text, created_at timestamptz)
        on conflict do nothing;
    else
        raise exception 'there is no kind %', coalesce(what, '(none)') using errcode = 'MM001';
    end if;
    return case when found then 'inserted' else 'known' end;
end
$function$;

comment on function aimemory.import_record is
    'Stores a record of an export that is no memory: inserted, known, differs or skipped.';

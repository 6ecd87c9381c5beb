-- Erase what the filters choose, and give a receipt. This is not archiving: nothing is left.
--
-- A memory goes if it passes all the filters. If only filters were given that what was
-- said has too (session, containing, said_before), turns, log entries and candidates go
-- as well; if only about was, so do the aliases of what it names.
--
-- A rehearsal does all the work and undoes it, so what it counts is what a run would
-- erase; its private error MM900 never leaves this function.
--
-- Custom plans, here and in all that it calls: only with the ids before its eyes does
-- the planner hash thousands of them instead of comparing each with every row.
create function aimemory.forget(
    for_user      text,
    wanted        uuid[]       default null,
    in_scopes     text[]       default null,
    of_types      text[]       default null,
    with_tags     text[]       default null,
    about         text[]       default null,
    from_session  text         default null,
    containing    text         default null,
    said_before   timestamptz  default null,
    everything    boolean      default false,
    with_veto     boolean      default false,
    is_rehearsal  boolean      default false,
    as_of         timestamptz  default now()
)
returns table (
    erasure_id  uuid,
    filters     text[],
    memories    bigint,
    archived    bigint,
    revisions   bigint,
    vectors     bigint,
    terms       bigint,
    candidates  bigint,
    aliases     bigint,
    turns       bigint,
    sessions    bigint,
    recalls     bigint,
    vetoes      bigint,
    users       bigint
)
language plpgsql volatile
set search_path from current
set plan_cache_mode = force_custom_plan
as $function$
#variable_conflict error
declare
    used    text[] := array_remove(array[
        case when wanted is not null then 'ids' end,
        case when in_scopes is not null then 'scopes' end,
        case when of_types is not null then 'types' end,
        case when with_tags is not null then 'tags' end,
        case when about is not null then 'about' end,
        case when from_session is not null then 'session' end,
        case when containing is not null then 'containing' end,
        case when said_before is not null then 'before' end,
        case when everything then 'everything' end], null);
    counts  jsonb;
    its_id  uuid;
begin
    perform aimemory.check_forget(used, containing, with_veto);
    -- Outside of what a rehearsal undoes, so that the lock is not given back with it.
    -- At once the lock that lets nobody else hold on to the row: one taken in two steps
    -- would deadlock with a use that becomes a write.
    perform from aimemory.users u where u.user_id = for_user for update;
    if not found then
        -- Nobody to erase, and no lock: who becomes a user now has come after the erasure.
        counts := '{}';
    else
        begin
            counts := case when everything then aimemory.erase_user(for_user)
                           else aimemory.erase_chosen(
                               for_user, wanted, in_scopes, of_types, with_tags, about,
                               from_session, containing, said_before, with_veto, as_of) end;
            if is_rehearsal then
                raise sqlstate 'MM900';
            end if;
        exception when sqlstate 'MM900' then
            null;
        end;
    end if;
    if not is_rehearsal and exists (select from jsonb_each_text(counts) as c(kind, number)
                                     where c.number <> '0') then
        its_id := gen_random_uuid();
        insert into aimemory.erasures (erasure_id, subject, filters, counts, erased_at)
        values (its_id, encode(sha256(convert_to(for_user, 'UTF8')), 'hex'), used, counts, as_of);
    end if;
    return query
    select its_id, used, coalesce(c.memories, 0), coalesce(c.archived, 0),
           coalesce(c.revisions, 0), coalesce(c.vectors, 0), coalesce(c.terms, 0),
           coalesce(c.candidates, 0), coalesce(c.aliases, 0), coalesce(c.turns, 0),
           coalesce(c.sessions, 0), coalesce(c.recalls, 0), coalesce(c.vetoes, 0),
           coalesce(c.users, 0)
      from jsonb_to_record(counts) as c(
           memories bigint, archived bigint, revisions bigint, vectors bigint, terms bigint,
           candidates bigint, aliases bigint, turns bigint, sessions bigint, recalls bigint,
           vetoes bigint, users bigint);
end
$function$;

comment on function aimemory.forget is
    'Erases what all the filters choose, from every table, for good; returns the receipt: counts of rows.';

-- One batch of an upkeep job, by the name of the job.
create function aimemory.run_batch(
    which         text,
    at_user       text,
    at_id         uuid,
    is_complete   boolean,
    max_rows      integer,
    is_rehearsal  boolean,
    log_days      double precision,
    as_of         timestamptz
)
returns table (done bigint, left_out bigint, last_user text, last_id uuid, is_last boolean)
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    -- A rehearsal counts everything in one go.
    batch integer := case when is_rehearsal then null else max_rows end;
begin
    perform aimemory.require_maintainer();
    left_out := 0;
    case which
        when 'refresh_due_dates' then
            select r.changed, r.left_out, r.last_user, r.last_id
              into done, left_out, last_user, last_id
              from aimemory.refresh_due_dates(
                       batch, at_user, at_id, is_complete, is_rehearsal, as_of) r;
            is_last := last_user is null;
        when 'archive_due' then
            done := aimemory.archive_due(batch, is_rehearsal, as_of);
        when 'close_idle_sessions' then
            done := aimemory.close_idle_sessions(
                max_rows => batch, is_rehearsal => is_rehearsal, as_of => as_of);
        when 'purge_recall_log' then
            done := aimemory.purge_recall_log(log_days, batch, is_rehearsal, as_of);
        when 'purge_runs' then
            done := aimemory.purge_runs(log_days, is_rehearsal, as_of);
        else
            raise exception 'there is no upkeep job %; see aimemory.maintain', which
                using errcode = 'MM001';
    end case;
    is_last := coalesce(is_last, done = 0 or is_rehearsal);
    return next;
end
$function$;

comment on function aimemory.run_batch is
    'One batch of an upkeep job: rows done, where to go on, and whether it was the last.';

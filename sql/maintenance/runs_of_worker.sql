-- What one worker has run of some jobs, oldest first.
create function aimemory.runs_of_worker(
    by_worker     text,
    of_jobs       text[],
    since_seconds double precision default 172800,
    as_of         timestamptz      default now()
)
returns table (
    job           text,
    status        text,
    dry_run       boolean,
    started_at    timestamptz,
    finished_at   timestamptz,
    rows_changed  bigint,
    batches       integer,
    worker        text,
    failure       text
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    return query
    select r.job, r.status, r.dry_run, r.started_at, r.finished_at, r.rows_changed, r.batches,
           r.worker, r.error
      from aimemory.maintenance_runs r
     where r.job = any (of_jobs) and r.worker = by_worker
       and r.started_at >= as_of - make_interval(secs => since_seconds)
     order by r.started_at;
end
$function$;

comment on function aimemory.runs_of_worker is
    'The latest runs of one worker, oldest first.';

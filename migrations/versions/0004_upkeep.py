"""Due dates, the history of upkeep, and receipts of erasure.

The date on which a memory runs out is stored and indexed, so the nightly job reads
what is due and nothing else. Existing memories get theirs from the first run of
aimemory.refresh_due_dates, which finds that no type has been applied yet.
"""

from __future__ import annotations

from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"


def upgrade() -> None:
    op.execute("""
alter table aimemory.memory_types
    add column archive_below double precision not null default 0.3;
alter table aimemory.memory_types
    add constraint memory_types_archive_below_check check (archive_below between 0 and 1);
alter table aimemory.memory_types add column applied_rules text;
comment on column aimemory.memory_types.archive_below is
    'A memory is due for the archive when less than this is left of its importance.';
comment on column aimemory.memory_types.applied_rules is
    'The rules that the stored due dates follow; upkeep renews them after a change.';

alter table aimemory.memory_access add column due_at timestamptz;
alter table aimemory.memory_access add column last_session_id text;
comment on column aimemory.memory_access.due_at is
    'When upkeep moves the memory to the archive; null: never, or it is there already.';
comment on column aimemory.memory_access.last_session_id is
    'The conversation it was last given in; there it counts as used once.';
create index memory_access_due_idx on aimemory.memory_access (due_at) where due_at is not null;

create index archive_archived_at_idx on aimemory.archive (user_id, archived_at);
create index recall_log_age_idx on aimemory.recall_log (recalled_at);
create index sessions_quiet_idx on aimemory.sessions (last_turn_at) where closed_at is null;

create table aimemory.maintenance_runs (
    run_id        uuid        not null,
    job           text        not null,
    status        text        not null,
    dry_run       boolean     not null default false,
    started_at    timestamptz not null,
    finished_at   timestamptz,
    rows_changed  bigint      not null default 0,
    batches       integer     not null default 0,
    worker        text,
    error         text,
    constraint maintenance_runs_pkey primary key (run_id),
    constraint maintenance_runs_status_check check (
        status in ('running', 'done', 'skipped', 'failed')),
    constraint maintenance_runs_finished_check check (
        (status = 'running') = (finished_at is null))
);
create index maintenance_runs_job_idx on aimemory.maintenance_runs (job, started_at);
comment on table aimemory.maintenance_runs is 'One row for every run of an upkeep job.';
comment on column aimemory.maintenance_runs.status is
    'running, done, skipped (another worker was at it) or failed.';
comment on column aimemory.maintenance_runs.dry_run is
    'True: it only counted what it would change.';
comment on column aimemory.maintenance_runs.rows_changed is
    'Memories, sessions or log entries that it changed, or would have changed.';
comment on column aimemory.maintenance_runs.worker is
    'Who ran it: a host and a process, or pg_cron.';

create table aimemory.erasures (
    erasure_id  uuid        not null,
    subject     text        not null,
    filters     text[]      not null,
    counts      jsonb       not null,
    erased_at   timestamptz not null,
    constraint erasures_pkey primary key (erasure_id)
);
create index erasures_subject_idx on aimemory.erasures (subject);
comment on table aimemory.erasures is 'One receipt for every erasure: counts, no content.';
comment on column aimemory.erasures.subject is
    'SHA-256 of the user''s id in hex: it answers for an id that is known, and names nobody.';
comment on column aimemory.erasures.filters is
    'By what the memories were chosen, without the values: ids, scopes, everything and so on.';
comment on column aimemory.erasures.counts is 'Rows erased, by kind.';
""")


def downgrade() -> None:
    op.execute("""
drop table aimemory.erasures, aimemory.maintenance_runs;
drop index aimemory.sessions_quiet_idx;
drop index aimemory.recall_log_age_idx;
drop index aimemory.archive_archived_at_idx;
drop index aimemory.memory_access_due_idx;
alter table aimemory.memory_access drop column last_session_id;
alter table aimemory.memory_access drop column due_at;
alter table aimemory.memory_types drop column applied_rules;
alter table aimemory.memory_types drop column archive_below;
""")

"""Conversations, the review queue, vetoes, and a scale for comparing memories.

Turns wait in the database until something has been learnt from them, so a crash
loses none. Two memories are more alike than a question and its answer, so the
scales that duplicates are judged on are kept apart from those of recall.
"""

from __future__ import annotations

from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"


def upgrade() -> None:
    op.execute("""
alter table aimemory.users add column learning boolean not null default true;
alter table aimemory.users add column usage_day date;
alter table aimemory.users add column usage_calls integer not null default 0;
alter table aimemory.users add column usage_tokens bigint not null default 0;
comment on column aimemory.users.learning is 'False: nothing is learnt from this user''s turns.';
comment on column aimemory.users.usage_day is
    'The day (UTC) that usage_calls and usage_tokens count; an older day counts as none.';
comment on column aimemory.users.usage_calls is 'Calls of a language model to learn, that day.';
comment on column aimemory.users.usage_tokens is 'Tokens that those calls used, in and out.';

alter table aimemory.calibrations add column comparing text not null default 'questions';
alter table aimemory.calibrations drop constraint calibrations_pkey;
alter table aimemory.calibrations
    add constraint calibrations_pkey primary key (model_id, script, comparing);
alter table aimemory.calibrations
    add constraint calibrations_comparing_check check (comparing in ('questions', 'memories'));
comment on column aimemory.calibrations.comparing is
    'questions: a question with memories; memories: a memory with others, to find duplicates.';

create index memories_standing_idx on aimemory.memories (user_id) where standing;
""")
    op.execute(CONVERSATIONS)
    op.execute(REVIEW)


def downgrade() -> None:
    op.execute("""
drop table aimemory.vetoes, aimemory.candidates, aimemory.turns, aimemory.sessions;
drop index aimemory.memories_standing_idx;
delete from aimemory.calibrations where comparing <> 'questions';
alter table aimemory.calibrations drop constraint calibrations_pkey;
alter table aimemory.calibrations drop column comparing;
alter table aimemory.calibrations add constraint calibrations_pkey primary key (model_id, script);
alter table aimemory.users drop column usage_tokens;
alter table aimemory.users drop column usage_calls;
alter table aimemory.users drop column usage_day;
alter table aimemory.users drop column learning;
""")


CONVERSATIONS = """
create table aimemory.sessions (
    user_id       text        not null,
    session_id    text        not null,
    started_at    timestamptz not null,
    last_turn_at  timestamptz not null,
    turn_count    integer     not null default 0,
    closed_at     timestamptz,
    constraint sessions_pkey primary key (user_id, session_id),
    constraint sessions_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint sessions_session_id_check check (session_id <> '' and length(session_id) <= 512)
);
create index sessions_open_idx
    on aimemory.sessions (user_id, last_turn_at) where closed_at is null;
comment on table aimemory.sessions is 'Conversations: the short-term layer.';
comment on column aimemory.sessions.turn_count is 'Turns so far: the number of the last one.';
comment on column aimemory.sessions.closed_at is 'When it ended; a new turn opens it again.';

create table aimemory.turns (
    user_id       text        not null,
    session_id    text        not null,
    turn_no       integer     not null,
    role          text        not null,
    content       text        not null,
    said_at       timestamptz not null,
    extracted_at  timestamptz,
    attempts      integer     not null default 0,
    last_error    text,
    constraint turns_pkey primary key (user_id, session_id, turn_no),
    constraint turns_session_fkey foreign key (user_id, session_id)
        references aimemory.sessions (user_id, session_id) on delete cascade,
    constraint turns_role_check check (role in ('user', 'assistant'))
);
create index turns_pending_idx on aimemory.turns (user_id, session_id, turn_no)
    where extracted_at is null;
comment on table aimemory.turns is
    'What was said, private parts and secrets taken out; a queue until it has been learnt from.';
comment on column aimemory.turns.extracted_at is 'When it was learnt from; null: still to do.';
comment on column aimemory.turns.attempts is 'How often learning from it failed.';
comment on column aimemory.turns.last_error is 'Why it failed last; the turn is kept for a retry.';
"""

REVIEW = """
create table aimemory.candidates (
    user_id       text             not null,
    candidate_id  uuid             not null,
    content       text             not null,
    content_hash  text             not null,
    memory_type   text             not null,
    importance    double precision not null,
    scope         text             not null,
    slot          text,
    proposal      jsonb            not null,
    state         text             not null default 'pending',
    reason        text,
    memory_id     uuid,
    created_at    timestamptz      not null,
    decided_at    timestamptz,
    constraint candidates_pkey primary key (user_id, candidate_id),
    constraint candidates_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint candidates_type_fkey foreign key (memory_type)
        references aimemory.memory_types (memory_type),
    constraint candidates_state_check check (state in ('pending', 'approved', 'rejected')),
    constraint candidates_decided_check check ((state = 'pending') = (decided_at is null))
);
create unique index candidates_pending_idx
    on aimemory.candidates (user_id, scope, content_hash) where state = 'pending';
comment on table aimemory.candidates is
    'What waits for the user''s yes or no in review mode, and what became of it.';
comment on column aimemory.candidates.proposal is 'Everything that would be stored, and why.';
comment on column aimemory.candidates.memory_id is 'The memory that an approval made or changed.';

create table aimemory.vetoes (
    user_id       text        not null,
    veto_id       uuid        not null,
    content_hash  text,
    slot          text,
    reason        text,
    created_at    timestamptz not null,
    constraint vetoes_pkey primary key (user_id, veto_id),
    constraint vetoes_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint vetoes_target_check check (content_hash is not null or slot is not null)
);
create index vetoes_content_hash_idx on aimemory.vetoes (user_id, content_hash);
create index vetoes_slot_idx on aimemory.vetoes (user_id, slot) where slot is not null;
comment on table aimemory.vetoes is
    'What must never be learnt again: by the hash of its text, or by slot. No text is kept.';
"""

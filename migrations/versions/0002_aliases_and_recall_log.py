"""Other names of entities, and the log of what was recalled.

Both serve recall: an alias lets a question about "my dad" find what was stored
about the father; the log shows afterwards why an answer was given.
"""

from __future__ import annotations

from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    op.execute("""
create table aimemory.entity_aliases (
    user_id      text not null,
    alias        text not null,
    entity_name  text not null,
    entity_kind  text,
    constraint entity_aliases_pkey primary key (user_id, alias),
    constraint entity_aliases_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint entity_aliases_alias_check check (alias <> '' and entity_name <> '')
);
comment on table aimemory.entity_aliases is
    'Other names of one user''s entities, both sides in the form of aimemory.normalized.';

create table aimemory.recall_log (
    user_id       text             not null,
    recall_id     uuid             not null,
    recalled_at   timestamptz      not null,
    session_id    text,
    query         text             not null,
    candidates    jsonb            not null,
    injected_ids  uuid[]           not null default '{}',
    block         text,
    token_count   integer,
    latency_ms    double precision,
    degraded      boolean          not null default false,
    constraint recall_log_pkey primary key (user_id, recall_id)
);
create index recall_log_recalled_at_idx on aimemory.recall_log (user_id, recalled_at);
comment on table aimemory.recall_log is
    'What was asked, what came back with all score parts, and what was put into the prompt.';
comment on column aimemory.recall_log.block is 'The text that was put into the prompt.';
comment on column aimemory.recall_log.degraded is
    'True when the embedding model was out of reach and only words, entities and time answered.';
""")


def downgrade() -> None:
    op.execute("drop table aimemory.recall_log, aimemory.entity_aliases")

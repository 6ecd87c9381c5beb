-- Generated from migrations/versions by tools/tables.py: edit those files.

CREATE TABLE aimemory.alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

-- Running upgrade  -> 0001

create table aimemory.users (
    user_id     text        not null,
    time_zone   text        not null default 'UTC',
    created_at  timestamptz not null,
    constraint users_pkey primary key (user_id),
    constraint users_user_id_check check (user_id <> '' and length(user_id) <= 512)
);
comment on table aimemory.users is
    'One row a user. Writers lock it, so the writes of one user happen one after the other.';
comment on column aimemory.users.user_id is 'The application''s own id, 1 to 512 characters.';
comment on column aimemory.users.time_zone is
    'IANA name; relative dates such as "yesterday" are resolved in it.';

create table aimemory.memory_types (
    memory_type         text             not null,
    decay_factor        double precision not null,
    decay_floor         double precision,
    decay_floor_from    double precision,
    ttl_seconds         double precision,
    recency_weight      double precision,
    default_importance  double precision not null,
    constraint memory_types_pkey primary key (memory_type),
    constraint memory_types_decay_factor_check check (decay_factor > 0 and decay_factor <= 1),
    constraint memory_types_decay_floor_check check (decay_floor between 0 and 1),
    constraint memory_types_decay_floor_from_check check (decay_floor_from between 0 and 1),
    constraint memory_types_ttl_seconds_check check (ttl_seconds > 0),
    constraint memory_types_recency_weight_check check (recency_weight between 0 and 0.3),
    constraint memory_types_default_importance_check check (default_importance between 0 and 1)
);
comment on table aimemory.memory_types is
    'How each kind of memory fades. Operators tune it with UPDATE; nothing is compiled in.';
comment on column aimemory.memory_types.decay_factor is
    'What importance is multiplied by for every day without use; closer to 1 fades slower.';
comment on column aimemory.memory_types.decay_floor is
    'Importance never fades below this when it started at decay_floor_from or higher.';
comment on column aimemory.memory_types.ttl_seconds is
    'Seconds after its last confirmation (or its event) when a memory is archived; null: never.';
comment on column aimemory.memory_types.recency_weight is
    'Replaces the recency weight of a profile that uses recency; null: the profile''s own.';

create table aimemory.scoring_profiles (
    profile                 text             not null,
    vector_weight           double precision not null default 0.6,
    keyword_weight          double precision not null default 0.3,
    recency_weight          double precision not null default 0.1,
    forgetting_weight       double precision not null default 0.05,
    importance_weight       double precision not null default 0.05,
    aged_importance_weight  double precision not null default 0,
    half_life_days          double precision not null default 30,
    age_days                double precision not null default 30,
    age_floor               double precision not null default 0.3,
    min_similarity          double precision not null default 0.3,
    min_coverage            double precision not null default 0.2,
    entity_bypass           double precision not null default 0.55,
    cold_weight             double precision not null default 0.5,
    cold_min_importance     double precision not null default 0.5,
    constraint scoring_profiles_pkey primary key (profile),
    constraint scoring_profiles_recency_weight_check check (recency_weight between 0 and 0.3),
    constraint scoring_profiles_half_life_days_check check (half_life_days > 0),
    constraint scoring_profiles_age_days_check check (age_days > 0)
);
comment on table aimemory.scoring_profiles is
    'Weights and thresholds of aimemory.recall, one row a profile; similarity is calibrated.';
comment on column aimemory.scoring_profiles.aged_importance_weight is
    'Weight of importance * greatest(age_floor, 1 - age / age_days); used by seed003 only.';
comment on column aimemory.scoring_profiles.half_life_days is
    'Recency halves with every so many days since the last update.';
comment on column aimemory.scoring_profiles.min_similarity is
    'A memory found by meaning alone must be at least this similar (calibrated, 0 to 1).';
comment on column aimemory.scoring_profiles.min_coverage is
    'A memory found by words alone must hold this share of the weight of the query''s words.';
comment on column aimemory.scoring_profiles.entity_bypass is
    'Similarity or coverage that passes the soft entity gate without an entity in common.';
comment on column aimemory.scoring_profiles.cold_weight is
    'What the score of an archived memory is multiplied by.';
comment on column aimemory.scoring_profiles.cold_min_importance is
    'Archived memories below this importance never answer.';

create table aimemory.embedding_models (
    model_id         text        not null,
    dimensions       integer     not null,
    query_prefix     text        not null default '',
    document_prefix  text        not null default '',
    active           boolean     not null default false,
    created_at       timestamptz not null,
    constraint embedding_models_pkey primary key (model_id),
    constraint embedding_models_dimensions_check check (dimensions between 1 and 16000)
);
create unique index embedding_models_active_idx on aimemory.embedding_models (active) where active;
comment on table aimemory.embedding_models is 'Every model whose vectors are stored.';
comment on column aimemory.embedding_models.active is
    'True for the one model that new memories are embedded with.';

create table aimemory.calibrations (
    model_id            text             not null,
    script              text             not null,
    similarity_floor    double precision not null,
    similarity_ceiling  double precision not null,
    calibrated_at       timestamptz,
    constraint calibrations_pkey primary key (model_id, script),
    constraint calibrations_model_fkey foreign key (model_id)
        references aimemory.embedding_models (model_id),
    constraint calibrations_script_check check (script in ('cjk', 'other')),
    constraint calibrations_scale_check check (similarity_floor < similarity_ceiling)
);
comment on table aimemory.calibrations is
    'What a cosine means: thresholds belong to the model and to the script of the question.';
comment on column aimemory.calibrations.script is
    'cjk for questions with Chinese, Japanese or Korean in them, other for the rest.';
comment on column aimemory.calibrations.similarity_floor is
    'Cosine of unrelated pairs (median): similarity = (cosine - floor) / (ceiling - floor).';
comment on column aimemory.calibrations.similarity_ceiling is
    'Cosine of a question and its best match (median).';
comment on column aimemory.calibrations.calibrated_at is
    'When it was measured here; null for a scale that came with the library.';

create table aimemory.memories (
    user_id            text             not null,
    memory_id          uuid             not null,
    content            text             not null,
    memory_type        text             not null,
    importance         double precision not null,
    scope              text             not null default 'user',
    slot               text,
    entities           text[]           not null default '{}',
    tags               text[]           not null default '{}',
    keywords           tsvector         not null,
    content_hash       text             not null,
    evidence           text,
    speaker            text,
    session_id         text,
    turn_no            integer,
    status             text             not null default 'active',
    superseded_by      uuid,
    superseded_at      timestamptz,
    valid_from         timestamptz,
    valid_until        timestamptz,
    event_at           timestamptz,
    created_at         timestamptz      not null,
    updated_at         timestamptz      not null,
    last_confirmed_at  timestamptz      not null,
    confirm_count      integer          not null default 0,
    pinned             boolean          not null default false,
    standing           boolean          not null default false,
    idempotency_key    text,
    metadata           jsonb            not null default '{}',
    constraint memories_pkey primary key (user_id, memory_id),
    constraint memories_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint memories_type_fkey foreign key (memory_type)
        references aimemory.memory_types (memory_type),
    constraint memories_content_check check (content <> '' and length(content) <= 100000),
    constraint memories_importance_check check (importance between 0 and 1),
    constraint memories_scope_check check (scope <> '' and length(scope) <= 512),
    constraint memories_slot_check check (slot <> '' and length(slot) <= 512),
    constraint memories_status_check check (status in ('active', 'superseded')),
    constraint memories_superseded_check check (
        (status = 'superseded') = (superseded_at is not null) and superseded_by <> memory_id),
    constraint memories_validity_check check (valid_from < valid_until),
    constraint memories_metadata_check check (jsonb_typeof(metadata) = 'object')
);
create unique index memories_content_hash_idx
    on aimemory.memories (user_id, scope, content_hash) where status = 'active';
create unique index memories_slot_idx
    on aimemory.memories (user_id, scope, slot)
    where status = 'active' and slot is not null and memory_type <> 'event';
create unique index memories_idempotency_key_idx
    on aimemory.memories (user_id, idempotency_key) where idempotency_key is not null;
create index memories_created_at_idx on aimemory.memories (user_id, created_at);
create index memories_superseded_by_idx
    on aimemory.memories (user_id, superseded_by) where superseded_by is not null;
comment on table aimemory.memories is
    'Live memories: active ones, and superseded ones until upkeep moves them to the archive.';
comment on column aimemory.memories.content is
    'One self-contained sentence in the user''s language; at most 100,000 characters.';
comment on column aimemory.memories.importance is
    'From 0 to 1, as given; time never overwrites it (see aimemory.effective_importance).';
comment on column aimemory.memories.scope is
    '''user'' for what holds everywhere, or a name such as ''project:atlas''.';
comment on column aimemory.memories.slot is
    'entity.attribute, such as user.city: at most one active memory per scope holds it.';
comment on column aimemory.memories.entities is 'Whom or what it is about: name or name/kind.';
comment on column aimemory.memories.keywords is
    'aimemory.tokens(content) with positions, and entity names with weight A.';
comment on column aimemory.memories.content_hash is 'aimemory.content_hash(content).';
comment on column aimemory.memories.evidence is 'What the user said, word for word.';
comment on column aimemory.memories.superseded_by is 'The memory that took its place.';
comment on column aimemory.memories.event_at is 'When it happens or happened, if it is an event.';
comment on column aimemory.memories.confirm_count is 'How often it was said again.';
comment on column aimemory.memories.pinned is 'Never archived by upkeep.';
comment on column aimemory.memories.standing is
    'Applies to every answer (tone, language), so it belongs into the profile block.';

create table aimemory.memory_access (
    user_id         text        not null,
    memory_id       uuid        not null,
    last_access_at  timestamptz not null,
    access_count    integer     not null default 0,
    constraint memory_access_pkey primary key (user_id, memory_id)
) with (fillfactor = 80);
comment on table aimemory.memory_access is
    'When a memory was last given to the caller; narrow, because it changes with every recall.';

create table aimemory.memory_revisions (
    user_id       text        not null,
    memory_id     uuid        not null,
    revision      integer     not null,
    action        text        not null,
    reason        text,
    actor         text,
    content       text        not null,
    details       jsonb       not null default '{}',
    changed_at    timestamptz not null,
    constraint memory_revisions_pkey primary key (user_id, memory_id, revision),
    constraint memory_revisions_action_check check (action in (
        'added', 'confirmed', 'updated', 'merged', 'superseded', 'archived', 'restored',
        'pinned', 'unpinned'))
);
comment on table aimemory.memory_revisions is
    'Every change of a memory: what, when, why, by whom, and the text before the change.';
comment on column aimemory.memory_revisions.content is 'The text before the change.';
comment on column aimemory.memory_revisions.details is 'Other values before the change.';

create table aimemory.memory_vectors (
    user_id    text     not null,
    model_id   text     not null,
    cold       boolean  not null,
    memory_id  uuid     not null,
    chunk      smallint not null,
    cjk        boolean  not null default false,
    embedding  halfvec  not null,
    indexable  boolean  not null generated always as (
        octet_length(user_id) + octet_length(model_id) + 2 * vector_dims(embedding) <= 2500) stored,
    constraint memory_vectors_pkey primary key (user_id, memory_id, model_id, chunk),
    constraint memory_vectors_model_fkey foreign key (model_id)
        references aimemory.embedding_models (model_id)
);
create index memory_vectors_scan_idx
    on aimemory.memory_vectors (user_id, model_id, cold, memory_id) include (cjk, embedding)
    where indexable;
create index memory_vectors_large_idx
    on aimemory.memory_vectors (user_id, model_id, cold, memory_id) where not indexable;
comment on table aimemory.memory_vectors is
    'Vectors of memories: one per model, or several where the text is longer than the model reads.';
comment on column aimemory.memory_vectors.cold is 'True when the memory is in the archive.';
comment on column aimemory.memory_vectors.chunk is '0, or the number of the part of a long text.';
comment on column aimemory.memory_vectors.cjk is
    'Whether the text is Chinese, Japanese or Korean: chooses the scale of its cosines.';
comment on column aimemory.memory_vectors.indexable is
    'Whether the vector fits into a B-tree entry (2,704 bytes); others are read from the table.';

create table aimemory.memory_terms (
    user_id    text     not null,
    cold       boolean  not null,
    term       text     not null,
    memory_id  uuid     not null,
    frequency  smallint not null,
    words      integer  not null,
    constraint memory_terms_pkey primary key (user_id, cold, term, memory_id)
        include (frequency, words)
);
comment on table aimemory.memory_terms is
    'Postings: which memories hold a word. Derived from memories.keywords, for ranking with BM25.';
comment on column aimemory.memory_terms.term is 'A lexeme, or # and the name of an entity.';
comment on column aimemory.memory_terms.frequency is 'How often the word occurs in the memory.';
comment on column aimemory.memory_terms.words is 'How many words the memory has.';

create table aimemory.archive (
    user_id              text             not null,
    memory_id            uuid             not null,
    content              text             not null,
    memory_type          text             not null,
    importance           double precision not null,
    scope                text             not null,
    slot                 text,
    entities             text[]           not null,
    tags                 text[]           not null,
    keywords             tsvector         not null,
    content_hash         text             not null,
    evidence             text,
    speaker              text,
    session_id           text,
    turn_no              integer,
    status               text             not null,
    superseded_by        uuid,
    superseded_at        timestamptz,
    valid_from           timestamptz,
    valid_until          timestamptz,
    event_at             timestamptz,
    created_at           timestamptz      not null,
    updated_at           timestamptz      not null,
    last_confirmed_at    timestamptz      not null,
    confirm_count        integer          not null,
    pinned               boolean          not null,
    standing             boolean          not null,
    idempotency_key      text,
    metadata             jsonb            not null,
    archived_at          timestamptz      not null,
    archive_reason       text             not null,
    archived_importance  double precision not null,
    constraint archive_pkey primary key (user_id, memory_id),
    constraint archive_user_fkey foreign key (user_id) references aimemory.users (user_id),
    constraint archive_type_fkey foreign key (memory_type)
        references aimemory.memory_types (memory_type),
    constraint archive_reason_check check (
        archive_reason in ('ttl', 'faded', 'superseded', 'manual'))
);
create index archive_content_hash_idx on aimemory.archive (user_id, scope, content_hash);
create index archive_slot_idx on aimemory.archive (user_id, scope, slot) where slot is not null;
create unique index archive_idempotency_key_idx
    on aimemory.archive (user_id, idempotency_key) where idempotency_key is not null;
create index archive_created_at_idx on aimemory.archive (user_id, created_at);
create index archive_superseded_by_idx
    on aimemory.archive (user_id, superseded_by) where superseded_by is not null;
comment on table aimemory.archive is
    'Cold storage. A memory is in exactly one of memories and archive, with the same id.';
comment on column aimemory.archive.archived_importance is
    'Effective importance at the moment of archiving.';

insert into aimemory.memory_types
    (memory_type, decay_factor, decay_floor, decay_floor_from, ttl_seconds, recency_weight,
     default_importance)
values
    ('fact',       0.98, 0.35, 0.8, null,        null, 0.6),
    ('preference', 0.95, null, null, null,       0.2,  0.7),
    ('event',      0.90, null, null, 7 * 86400,  null, 0.4),
    ('state',      0.95, null, null, 30 * 86400, null, 0.6),
    ('decision',   0.98, 0.35, 0.8, null,        null, 0.8);

insert into aimemory.scoring_profiles (profile) values ('balanced');
insert into aimemory.scoring_profiles
    (profile, vector_weight, keyword_weight, recency_weight, forgetting_weight, importance_weight,
     aged_importance_weight)
values ('seed003', 1.2, 0, 0, 0, 0, 0.5);

INSERT INTO aimemory.alembic_version (version_num) VALUES ('0001') RETURNING aimemory.alembic_version.version_num;

-- Running upgrade 0001 -> 0002

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

UPDATE aimemory.alembic_version SET version_num='0002' WHERE aimemory.alembic_version.version_num = '0001';

-- Running upgrade 0002 -> 0003

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

UPDATE aimemory.alembic_version SET version_num='0003' WHERE aimemory.alembic_version.version_num = '0002';

-- Running upgrade 0003 -> 0004

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

UPDATE aimemory.alembic_version SET version_num='0004' WHERE aimemory.alembic_version.version_num = '0003';

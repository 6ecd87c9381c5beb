"""The statements that the repositories send: calls of our SQL functions, nothing else."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector


def call(function: str, *arguments: str, **casts: str) -> bytes:
    """Write ``select * from aimemory.function(argument => %(argument)s, …)``.

    A keyword names an argument and the type to cast it to, where the driver's own
    choice would not do. ``as_of`` may be None and is the database's now() then.
    """
    written = [f"{name} => %({name})s" for name in arguments]
    written += [f"{name} => {_cast(name, kind)}" for name, kind in casts.items()]
    return f"select * from aimemory.{function}({', '.join(written)})".encode()


def call_procedure(procedure: str, *arguments: str, **casts: str) -> bytes:
    """Write ``call aimemory.procedure(…)``, as `call` does for a function."""
    return call(procedure, *arguments, **casts).replace(b"select * from", b"call", 1)


def _cast(name: str, kind: str) -> str:
    value = f"%({name})s::{kind}"
    return f"coalesce({value}, now())" if name == "as_of" else value


def vector_text(vector: npt.ArrayLike | None) -> str | None:
    """Write a vector as pgvector reads it, so that no type need be registered on a connection."""
    if vector is None:
        return None
    return str(HalfVector(np.asarray(vector, dtype=np.float32)).to_text())


RECALL = call(
    "recall",
    "for_user",
    "query_text",
    "query_model",
    "max_results",
    "in_scopes",
    "of_types",
    "with_tags",
    "query_entities",
    "entity_mode",
    "profile_name",
    "at_least",
    "names_from",
    "with_standing",
    "query_vector",
    metadata_filter="jsonpath",
    as_of="timestamptz",
)
SIMILAR_TO = call("similar_to", "for_user", "target", "max_results", "at_least")
GET = call("get_memories", "for_user", wanted="uuid[]")
LIST = call(
    "list_memories",
    "for_user",
    "page_size",
    "in_scopes",
    "of_types",
    "with_tags",
    "with_status",
    older_than="timestamptz",
    older_than_id="uuid",
    metadata_filter="jsonpath",
)
HISTORY = call("memory_history", "for_user", "target")
TIMELINE = call("timeline", "for_user", "max_rows", since="timestamptz", until="timestamptz")
AS_OF = call(
    "memories_as_of",
    "for_user",
    "max_rows",
    in_scopes="text[]",
    of_types="text[]",
    as_of="timestamptz",
)
ADD = call(
    "add_memory",
    "for_user",
    "new_content",
    "as_type",
    "with_importance",
    "in_scope",
    "in_slot",
    "about",
    "with_tags",
    "with_metadata",
    "vector_model",
    "from_session",
    "from_turn",
    "said_by",
    "quoting",
    "is_pinned",
    "is_standing",
    "request_key",
    "changed_by",
    "vectors",
    happening_at="timestamptz",
    true_from="timestamptz",
    true_until="timestamptz",
    as_of="timestamptz",
)
UPDATE = call(
    "update_memory",
    "for_user",
    "target",
    "new_content",
    "to_type",
    "to_importance",
    "plus_metadata",
    "to_standing",
    "vector_model",
    "what",
    "why",
    "changed_by",
    "vectors",
    about="text[]",
    to_tags="text[]",
    true_until="timestamptz",
    as_of="timestamptz",
)
CONFIRM = call("confirm_memory", "for_user", "target", "why", "changed_by", as_of="timestamptz")
SUPERSEDE = call(
    "supersede_memory", "for_user", "older", "newer", "why", "changed_by", as_of="timestamptz"
)
ARCHIVE = call("archive_memory", "for_user", "target", "because", "changed_by", as_of="timestamptz")
RESTORE = call("restore_memory", "for_user", "target", "why", "changed_by", as_of="timestamptz")
PIN = call("pin_memory", "for_user", "target", "is_pinned", "changed_by", as_of="timestamptz")
TOUCH = call("touch_memories", "for_user", "in_session", targets="uuid[]", as_of="timestamptz")
RATE = call(
    "rate_memory",
    "for_user",
    "target",
    "is_useful",
    "weakening",
    "changed_by",
    as_of="timestamptz",
)
FORGET = call(
    "forget",
    "for_user",
    "in_scopes",
    "of_types",
    "with_tags",
    "about",
    "from_session",
    "containing",
    "everything",
    "with_veto",
    "is_rehearsal",
    wanted="uuid[]",
    said_before="timestamptz",
    as_of="timestamptz",
)
EXPORT = call("export_user", "for_user", as_of="timestamptz")
IMPORT = call(
    "import_records", "for_user", "kinds", lines="integer[]", records="jsonb[]", as_of="timestamptz"
)
SETTLE_IMPORT = call("settle_import", "for_user")
LOG_RECALL = call(
    "log_recall",
    "for_user",
    "asked",
    "what_came",
    "from_session",
    "rendered",
    "tokens_used",
    "took_ms",
    "is_degraded",
    given="uuid[]",
    as_of="timestamptz",
)
SET_ALIAS = call("set_alias", "for_user", "other_name", "of_entity")
REGISTER_MODEL = call(
    "register_model",
    "new_model",
    "vector_size",
    "for_queries",
    "for_documents",
    "known_scales",
)
FILL_VECTORS = call(
    "fill_vectors",
    "for_user",
    "target",
    "embedded_text",
    "vector_model",
    "vectors",
)
CALIBRATE_MODEL = call(
    "calibrate_model", "for_model", "for_script", "low_cosine", "high_cosine", "pairs_of"
)
MISSING_VECTORS = call("missing_vectors", "for_model", "max_rows", "after_user", after_id="uuid")
ACTIVATE_MODEL = call("activate_model", "new_model")
DROP_VECTORS = call("drop_vectors", "of_model", "max_rows")
LOCK_USER = call("lock_user", "for_user", "create_missing", as_of="timestamptz")
PROBE = call(
    "probe_memories",
    "for_user",
    "in_scope",
    "new_content",
    "in_slot",
    "near_vector",
    "near_model",
    "at_least",
    "max_results",
)
MERGE = call(
    "merge_memory",
    "for_user",
    "target",
    "merged_text",
    "about",
    "to_importance",
    "vectors",
    "vector_model",
    "why",
    "changed_by",
    as_of="timestamptz",
)
STANDING = call(
    "standing_memories", "for_user", "max_rows", in_scopes="text[]", as_of="timestamptz"
)
RECORD_TURNS = call(
    "record_turns",
    "for_user",
    "in_session",
    "roles",
    "texts",
    said="timestamptz[]",
    as_of="timestamptz",
)
RECENT_TURNS = call("recent_turns", "for_user", "in_session", "max_turns")
PENDING_TURNS = call("pending_turns", "for_user", "in_session", "max_turns", "max_attempts")
SETTLE_TURNS = call(
    "settle_turns",
    "for_user",
    "in_session",
    "failure",
    numbers="integer[]",
    as_of="timestamptz",
)
CLOSE_SESSION = call("close_session", "for_user", "in_session", as_of="timestamptz")
PROPOSE = call(
    "propose_candidate",
    "for_user",
    "new_content",
    "as_type",
    "with_importance",
    "in_scope",
    "in_slot",
    "everything",
    as_of="timestamptz",
)
CANDIDATES = call("list_candidates", "for_user", "with_state", "max_rows", target="uuid")
DECIDE = call(
    "decide_candidate",
    "for_user",
    "target",
    "is_approved",
    "why",
    "with_its_slot",
    as_memory="uuid",
    as_of="timestamptz",
)
ADD_VETO = call("add_veto", "for_user", "the_content", "the_slot", "why", as_of="timestamptz")
IS_VETOED = call("is_vetoed", "for_user", "the_content", "the_slot")
COUNT_USAGE = call("count_usage", "for_user", "more_calls", "more_tokens", as_of="timestamptz")
SET_USER = call("set_user", "for_user", "is_learning", "in_zone", as_of="timestamptz")
GET_USER = call("get_user", "for_user", as_of="timestamptz")
MAINTAIN = call_procedure(
    "maintain",
    "only_job",
    "max_rows",
    "is_rehearsal",
    "by_worker",
    "log_days",
    as_of="timestamptz",
)
CLAIM_JOB = call("claim_job", "which", "is_rehearsal", "by_worker", as_of="timestamptz")
COUNT_BATCH = call("count_batch", "this_run", "how_many")
RELEASE_JOB = call("release_job", "which", "this_run", "failure", as_of="timestamptz")
STOP_RUNS = call("stop_runs", "by_worker", as_of="timestamptz")
RUNS_OF_WORKER = call(
    "runs_of_worker", "by_worker", "of_jobs", "since_seconds", as_of="timestamptz"
)
IDLE_SESSIONS = call(
    "idle_sessions", "idle_seconds", "max_rows", "max_attempts", as_of="timestamptz"
)

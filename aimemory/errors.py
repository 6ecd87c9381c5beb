"""What aimemory raises.

    AimemoryError
    ├── InvalidInput          the caller's argument; nothing was written
    ├── NotFound              no memory of this user has that id
    ├── DatabaseUnsuitable    server too old, wrong encoding, no pgvector, schema not migrated
    ├── AccessDenied          the role that is connected may not do this
    ├── EmbeddedUnavailable   the bundled PostgreSQL cannot run here
    ├── MissingDependency     an extra is not installed
    ├── ExtractionFailed      the language model or its service gave no usable answer
    ├── EmbeddingFailed       the model or its service gave no usable vector
    ├── EmbeddingMismatch     vectors of another model or size than the stored ones
    └── MaintenanceFailed     an upkeep job ended with an error; what it did before is kept

Rules that the database keeps are raised there with an SQLSTATE of class MM
(`docs/sql.md` lists them) and become one of these in `translated_errors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


class AimemoryError(Exception):
    """Base of every error that aimemory raises on purpose."""


class InvalidInput(AimemoryError, ValueError):
    """An argument cannot be used; nothing was written."""


class NotFound(AimemoryError, LookupError):
    """No memory of this user has that id."""


class DatabaseUnsuitable(AimemoryError):
    """The database cannot hold aimemory as it is; the message says what to change."""


class AccessDenied(AimemoryError):
    """The database role that is connected may not do this; the message says which one may."""


class EmbeddedUnavailable(AimemoryError):
    """The bundled PostgreSQL server cannot run on this machine."""


class MissingDependency(AimemoryError, ImportError):
    """An optional package is not installed; the message names the extra."""


class ExtractionFailed(AimemoryError):
    """The language model or its service gave no usable answer; the turns are kept for a retry."""


class EmbeddingFailed(AimemoryError):
    """The embedding model or its service gave no usable vector."""


class EmbeddingMismatch(AimemoryError):
    """A vector belongs to another model, or has another size, than the stored ones."""


class MaintenanceFailed(AimemoryError):
    """An upkeep job ended with an error; what its earlier batches did is kept."""


_BY_SQLSTATE: dict[str, type[AimemoryError]] = {
    "MM001": InvalidInput,
    "MM002": NotFound,
    "MM003": EmbeddingMismatch,
    "MM004": DatabaseUnsuitable,
    "MM005": AccessDenied,
    "MM006": MaintenanceFailed,
    # Constraints of the tables, and text that is no valid jsonpath, time or number.
    "22P02": InvalidInput,
    "22007": InvalidInput,
    "22008": InvalidInput,
    "23502": InvalidInput,
    "23503": InvalidInput,
    "23514": InvalidInput,
    "42501": AccessDenied,
    "42601": InvalidInput,
    "3F000": DatabaseUnsuitable,
    "42704": DatabaseUnsuitable,
    "42883": DatabaseUnsuitable,
    "42P01": DatabaseUnsuitable,
}
_MIGRATE = "the aimemory schema is missing or older than this library: run `aimemory migrate`"
WHICH_ROLE = (
    "a service connects as a member of aimemory_app and upkeep as one of aimemory_maintainer "
    "(`grant aimemory_app to my_service`); statements of your own see the rows of one user "
    "after `set local aimemory.user_id = 'ID'`: see docs/security.md"
)
_ADVICE = {
    "3F000": _MIGRATE,
    "42501": WHICH_ROLE,
    "42704": _MIGRATE,
    "42883": _MIGRATE,
    "42P01": _MIGRATE,
}


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn errors that our SQL raises into the classes above; let all others through."""
    try:
        yield
    except psycopg.Error as error:
        kind = _BY_SQLSTATE.get(error.sqlstate or "")
        if kind is None:
            raise
        if error.sqlstate in _ADVICE:
            raise kind(f"{error.diag.message_primary}; {_ADVICE[error.sqlstate]}") from error
        # Of a foreign key the detail names the value; the details of other
        # constraints repeat the whole row, which does not belong into an error.
        unknown = error.diag.message_detail if error.sqlstate == "23503" else None
        raise kind(unknown or error.diag.message_primary or str(error)) from error

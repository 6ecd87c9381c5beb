# Generated from aimemory/registration_async.py by tools/unasync.py: edit that file.
"""Make the model of a store known to the database, before anything is stored with it."""

from __future__ import annotations

import time

from aimemory.database_sync import Database
from aimemory.encoding import Encoder
from aimemory.repository import MemoryRepository

REGISTRATION_SECONDS = 60.0
INACTIVE = (
    "{} is not the active model of this database, so not every memory has a vector of it: "
    "run `aimemory reembed`, or open the store with the active model"
)


class Registration:
    """Registers the model once, and looks again every minute whether it is the active one."""

    def __init__(self, database: Database, encoder: Encoder) -> None:
        self._database = database
        self._encoder = encoder
        self._done_at = -REGISTRATION_SECONDS

    def ensure(self) -> None:
        """Register the model, unless that was done just now or there is none to register."""
        # Again once a minute: another process may have switched the active model.
        facts = self._encoder.facts()
        if facts is None or time.monotonic() - self._done_at < REGISTRATION_SECONDS:
            return
        with self._database.transaction() as connection:
            active = MemoryRepository(connection).register_model(
                facts.model,
                facts.dimensions,
                query_prefix=facts.query_prefix,
                document_prefix=facts.document_prefix,
                scales=facts.scales,
            )
        self._done_at = time.monotonic()
        self._encoder.inactive = None if active else INACTIVE.format(facts.model)

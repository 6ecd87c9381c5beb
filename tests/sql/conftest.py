"""What several of the files here start from."""

from uuid import UUID

import psycopg
import pytest

from memories import MODEL, NOW, at_cosine, call, know_model, remember


@pytest.fixture
def in_every_state(db: psycopg.Connection) -> list[UUID]:
    """Five memories of three users, live, superseded and archived, with vectors of one model.

    The model "new", of two dimensions, is known and not active.
    """
    know_model(db, MODEL, 3)
    know_model(db, "new", 2)
    made = [
        remember(db, "lives in Berlin", in_slot="city", vector=at_cosine(1)),
        remember(db, "lives in Paris", in_slot="city", vector=at_cosine(1)),
        remember(db, "likes tea", vector=at_cosine(1)),
        remember(db, "likes coffee", "bob", vector=at_cosine(1)),
        remember(db, "likes milk", "eve", vector=at_cosine(1)),
    ]
    call(db, "archive_memory", for_user="ann", target=made[2], as_of=NOW)
    return made

"""The psycopg connection under a SQLAlchemy session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import AsyncConnection, Connection

from aimemory.errors import InvalidInput

if TYPE_CHECKING:
    # The asynchronous half of SQLAlchemy needs greenlet, which whoever has a session has.
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.orm import Session


async def driver_connection_async(session: AsyncSession) -> AsyncConnection:
    """Return the connection that carries the session's transaction, starting one if need be."""
    connection = await session.connection()
    raw = await connection.get_raw_connection()
    driver = raw.driver_connection
    if not isinstance(driver, AsyncConnection):
        raise InvalidInput(_wrong_driver(driver))
    return driver


def driver_connection(session: Session) -> Connection:
    """Return the connection that carries the session's transaction, starting one if need be."""
    driver = session.connection().connection.driver_connection
    if not isinstance(driver, Connection):
        raise InvalidInput(_wrong_driver(driver))
    return driver


def _wrong_driver(driver: Any) -> str:
    return (
        "aimemory needs a session over psycopg 3 (postgresql+psycopg://), "
        f"not over {type(driver).__module__}.{type(driver).__name__}"
    )

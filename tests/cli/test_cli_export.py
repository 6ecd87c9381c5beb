"""The commands export and import: a file there and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aimemory import MemoryStore
from terminal import Run, contents


@pytest.fixture
def file(run: Run, store: MemoryStore, user: str, tmp_path: Path) -> Path:
    store.add(user, "likes tea")
    store.add(user, "用户的猫叫年糕 👩‍👩‍👧\u2028")
    path = tmp_path / "memories.jsonl"
    assert run("export", user, "--output", str(path), "--json").document == {
        "file": str(path),
        "lines": 6,
    }
    return path


def test_a_file_is_written_whole_and_read_back(
    run: Run, store: MemoryStore, user: str, file: Path
) -> None:
    other = f"{user} 2"
    rehearsed = run("import", str(file), "--user", other, "--dry-run", "--json")
    assert rehearsed.document["counts"]["memory"] == {"inserted": 2}
    assert contents(store, other) == []

    told = run("import", str(file), "--user", other)
    assert (told.code, "new" in told.out) == (0, True)
    assert contents(store, other) == contents(store, user)
    assert "known already" in run("import", str(file)).out
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_without_a_file_the_lines_are_printed(run: Run, user: str, file: Path) -> None:
    printed = run("export", user).out.split("\n")

    assert printed[1:] == file.read_text("utf-8").split("\n")[1:]
    assert json.loads(printed[0])["user_id"] == user


def test_a_broken_file_is_one_line_of_error(run: Run, file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(file.read_bytes()[:-10])
    assert "line 6 is no JSON" in run("import", str(broken)).err
    broken.write_bytes(b"\xff\xfe")
    assert "no text in UTF-8" in run("import", str(broken)).err
    assert "No such file" in run("import", str(tmp_path / "nowhere")).err

"""What is published works without the checkout: the SQL travels inside the wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dumps

ROOT = Path(__file__).parent.parent
PROGRAM = """
import pathlib, sys
import aimemory
from aimemory import sqlobjects

package = pathlib.Path(aimemory.__file__).parent
assert package.is_relative_to(pathlib.Path.cwd()), package
for name in ("sql", "migrations"):
    assert sqlobjects.directory(name) == package / f"_{name}", name
aimemory.migrate(sys.argv[1])
"""


def shipped(folder: str) -> set[str]:
    return {
        f"aimemory/_{folder}/{path.relative_to(ROOT / folder)}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = target.glob("*.whl")
    return built


def test_every_sql_file_and_every_migration_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert shipped("sql") | shipped("migrations") <= names
    assert {"aimemory/py.typed", "aimemory/models/__init__.py"} <= names


def test_the_wheel_holds_nothing_but_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.split("/")[0].partition("-")[0] for name in names} == {"aimemory"}
    assert [name for name in names if name.endswith(".pyc") or "/tests/" in name] == []


def test_the_unpacked_wheel_migrates_a_database_from_its_own_files(
    wheel: Path, tmp_path: Path, wiped_database: str, database: str
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, wiped_database],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert dumps.dump(wiped_database) == dumps.dump(database)

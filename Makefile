# `make` prints the targets. Each target installs what it needs.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PY := .venv/bin/python
STAMP := .venv/.installed
PYTHONS ?= python3.13 python3.12 python3.11 python3.14 python3
BENCH_DATA ?= ../shared/data
# Two processes; a file's tests share one, and so its fixtures. Tests with the model, and those
# that measure time and memory, run alone.
SPREAD ?= -n 2 --dist loadfile
export PYTHONUNBUFFERED := 1

.PHONY: help install demo test test-fast check format bench-answers bench-golden bench-ingest bench-retrieval bench-index bench-tables bench-tools clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

install: $(STAMP) ## a virtual environment in .venv with the command zaiko

demo: $(STAMP) ## ingest the sample company and answer three questions with the embedded model
	@$(PY) -m agent.demo

test: $(STAMP) ## all tests, with the embedded model
	@$(PY) -m agent.demo --fetch-only
	@$(PY) -m pytest -m "not model and not slow" $(SPREAD)
	@$(PY) -m pytest -m "model or slow"

test-fast: $(STAMP) ## the tests that need no model, within 90 s
	@$(PY) -m pytest -m "not model and not slow" $(SPREAD)

check: $(STAMP) ## format, lint, strict types, import direction of the rooms
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m pytest tests/test_architecture.py

format: $(STAMP) ## bring the code into the house format
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

bench-answers: $(STAMP) ## 48 open questions through the real graph (ALL=1: all; BENCH_DATA=dir; VERDICTS=file)
	@$(PY) -m tests.bench.answers --data "$(BENCH_DATA)" $(if $(ALL),--all) $(if $(VERDICTS),--verdicts "$(VERDICTS)")

bench-golden: $(STAMP) ## the golden questions of the sample company through the real graph
	@$(PY) -m tests.bench.golden

bench-ingest: $(STAMP) ## pages and passages a second, and our own share of the time (DATA=dir)
	@$(PY) -m tests.bench.ingest --data "$(or $(DATA),$(BENCH_DATA)/documents)"

bench-retrieval: $(STAMP) ## recall, ranking, threshold and times of the search (BENCH_DATA=dir)
	@$(PY) -m tests.bench.retrieval --data "$(BENCH_DATA)"

bench-index: $(STAMP) ## size and speed of the vector index at 10,000 and 100,000 chunks
	@$(PY) -m tests.bench.index

bench-tools: $(STAMP) ## what the SQL and the calculation tool take beyond the bare work
	@$(PY) -m tests.bench.tools

bench-tables: $(STAMP) ## rate of a table's import beside DuckDB's own reader, and its memory
	@$(PY) -m tests.bench.tables

clean: ## remove what make has made here; fetched model weights stay in their cache
	@rm -rf .venv .demo .bench build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A candidate counts only when it runs: a name on the PATH may be a shim for nothing.
$(STAMP): pyproject.toml
	@python=; for name in $(PYTHONS); do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	    2>/dev/null; then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "error: no Python 3.11 or newer with venv was found (tried: $(PYTHONS))" >&2; \
	  echo "next: install one (Debian, Ubuntu: apt install python3.11-venv)," \
	    "or name it: make install PYTHONS=/path/to/python" >&2; \
	  exit 2; \
	fi; \
	if ! $(PY) -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "making .venv with $$("$$name" --version)"; \
	  rm -rf .venv; "$$python" -m venv .venv; \
	fi
	@echo "installing zaiko and what it needs into .venv"
	@$(PY) -m pip install --disable-pip-version-check --no-input --no-compile -e '.[dev]' \
	  2> >(grep -v '^WARNING: Location' >&2) | { \
	  n=0; while read -r line; do case "$$line" in \
	    "Collecting "*) n=$$((n + 1)); if [ $$((n % 10)) = 0 ]; then echo "  $$n packages"; fi ;; \
	    "Installing collected"*) echo "  $$n packages are here: unpacking" ;; \
	  esac; done; }
	@touch $(STAMP)
	@echo "installed: .venv/bin/zaiko"

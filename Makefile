# Needs make and Python 3.11 or newer; it installs everything else. `make help` lists the targets.

PORT ?= 8000
VENV ?= .venv
PYTHON ?= python3 python3.13 python3.12 python3.11 python3.14 python
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes

.DEFAULT_GOAL := help
.PHONY: help run test test-sqlite test-postgres lint format bench lock clean
.NOTPARALLEL:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

run: $(VENV)/.runtime ## serve on http://127.0.0.1:8000 (PORT=, LEASEHOLD_DATA=, DATABASE_URL=, LEASEHOLD_DEMO=0)
	@exec $(PY) manage.py serve --port $(PORT)

# The two runs share the machine's cores. PostgreSQL's is printed as it goes, SQLite's when both have ended.
test: $(VENV)/.dev ## the whole suite on SQLite and on a PostgreSQL of its own, at once (ARGS= goes to pytest)
	@log=$$(mktemp); trap 'kill $$sqlite 2>/dev/null; rm -f $$log' EXIT INT TERM; \
	TEST_DB=sqlite $(PY) -m pytest -q $(ARGS) >$$log 2>&1 & sqlite=$$!; \
	TEST_DB=postgres $(PY) -m pytest -q $(ARGS) && failed=0 || failed=1; \
	wait $$sqlite || failed=1; sqlite=; cat $$log; exit $$failed

test-sqlite: $(VENV)/.dev ## the suite on SQLite
	TEST_DB=sqlite $(PY) -m pytest -q $(ARGS)

test-postgres: $(VENV)/.dev ## the suite on PostgreSQL
	TEST_DB=postgres $(PY) -m pytest -q $(ARGS)

lint: $(VENV)/.dev ## ruff, mypy, djlint, the layers, dependencies, bandit
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	@if [ -d templates ]; then set -x; $(PY) -m djlint templates --lint --quiet; fi
	$(VENV)/bin/lint-imports --no-cache
	$(VENV)/bin/deptry .
	$(PY) -m bandit -q -c pyproject.toml -r leasehold checkouts

format: $(VENV)/.dev ## let ruff lay out the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: $(VENV)/.dev ## the benchmarks in bench/
	@for file in bench/*.py; do [ -f "$$file" ] || { echo "no benchmark yet"; break; }; $(PY) "$$file" || exit 1; done

COMPILE = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links pyproject.toml

lock: $(VENV)/.dev ## make the lock files anew from pyproject.toml (ARGS=--upgrade for newer versions)
	$(COMPILE) --no-annotate $(ARGS) -o requirements.txt
	$(COMPILE) --group dev -c requirements.txt $(ARGS) -o requirements-dev.txt

clean: ## remove the virtual environment and the tools' caches; var/ (the data) stays
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache htmlcov .coverage

# The stamps are in the virtual environment, so that they are deleted with it.
$(VENV)/.runtime: requirements.txt | $(PY)
	@echo "Installing what Leasehold needs…"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt | $(PY)
	@echo "Installing what the tests need…"
	@$(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/.runtime

# Takes the first Python that runs (a shim may not), is new enough and can make a virtual environment.
$(PY):
	@for python in $(PYTHON); do \
		if $$python -c 'import sys, ensurepip, venv, sqlite3; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Making $(VENV) with $$python…"; exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "Leasehold needs Python 3.11 or newer with its venv module (on Debian: apt-get install python3-venv)." >&2; exit 1

# Two commands for a newcomer: `make demo` and `make test`.
# Each target creates .venv and installs what it needs; nothing else is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test pytest lint docs bench bench-versions bench-fit bench-fit-versions clean

demo: $(VENV)/.run
	$(BIN)/python examples/demo.py

# Lint takes a minute of one core; the tests begin meanwhile.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 lint pytest

pytest: $(VENV)/.dev
	$(BIN)/python -m pytest -n 3 --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo --no-cache

# The site, into docs/_build/html; nothing is fetched, a warning is an error.
docs: $(VENV)/.dev
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html
	@echo "Open docs/_build/html/index.html."

bench: $(VENV)/.run
	$(BIN)/python benchmarks/units.py
	$(BIN)/python benchmarks/engine.py

# Beside another version of nalm: make bench-versions OLD=FOLDER, a checkout of it.
bench-versions: $(VENV)/.run
	$(BIN)/python benchmarks/versions.py $(OLD)

# Hours with all seeds; FIT="--quick" takes minutes. What was fitted before is not fitted again.
bench-fit: $(VENV)/.peers
	$(BIN)/python -m benchmarks.fit $(FIT)

# Beside another version of nalm: make bench-fit-versions OLD=FOLDER.
bench-fit-versions: $(VENV)/.run
	$(BIN)/python -m benchmarks.fit_versions $(OLD) $(FIT)

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "nalm needs Python 3.11 or newer, found %d.%d; run make with PYTHON=/path/to/a/newer/python" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[cli,report,sklearn,torch]'
	@touch $@

# pip older than 25.1 has no --group, so the groups are read from pyproject.toml.
$(VENV)/.dev: $(VENV)/.run
	$(PIP) $$($(BIN)/python -c 'import tomllib; g = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]; print(*g["test"], *g["lint"], *g["docs"])')
	@touch $@

$(VENV)/.peers: $(VENV)/.run
	$(PIP) $$($(BIN)/python -c 'import tomllib; g = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]; print(*g["peers"])')
	@touch $@

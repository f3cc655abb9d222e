# Two commands do all the set-up: `make demo` and `make test`.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-slow app lint bench clean install install-test system-test

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/uv:
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/uv
	@echo "── installing into $(VENV) (pinned by constraints.txt)"
	@$(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/uv
	@echo "── installing into $(VENV) with test and lint tools (pinned by constraints.txt)"
	@$(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e '.[test,lint]'
	@touch $(VENV)/.installed $@

install: $(VENV)/.installed  ## install the product into .venv
install-test: $(VENV)/.installed-test

system-test:
	@bash tests/system-packages.sh

demo: install  ## run a real small sweep, print its front, write a report
	@echo "── sweeping the preset 'demo' (embedded Ray, SQLite MLflow)"
	@$(BIN)/tradeoff sweep demo
	@$(BIN)/tradeoff front demo --html tradeoff-demo.html
	@echo
	@echo "── next:  make app                        explore the front in the browser"
	@echo "          open tradeoff-demo.html         the report, one file"
	@echo "          $(BIN)/tradeoff mlflow          compare the runs in MLflow"

app: install  ## open the explorer in the browser
	@$(BIN)/tradeoff app

lint: install-test  ## style, types, import directions
	@echo "── ruff";            $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "── mypy (strict)";   $(BIN)/mypy -n 2
	@echo "── import directions"; $(BIN)/lint-imports --no-cache

# Three at a time on two cores: one of them often waits for a process to start.
PYTEST := OMP_NUM_THREADS=1 TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0 $(BIN)/python -m pytest -q --dist loadfile --no-loadscope-reorder --durations=15

# Before it compiles anything torch tries every set of vector instructions in a process of its own: the slow tests let it.
test: install-test system-test lint  ## lint, then all tests but those that take minutes each
	@echo "── tests"
	@TORCHINDUCTOR_VEC_ISA_OK=0 $(PYTEST) -n 3 -m "not slow"

test-slow: install-test system-test  ## the others: kills, restarts, whole stacks of services, long trainings
	@echo "── slow tests"
	@$(PYTEST) -n 2 -m slow

bench: install-test  ## side-by-side measurements against peers
	@for script in benchmarks/bench_*.py; do echo "── $$script"; $(BIN)/python $$script || exit 1; done

clean:  ## remove the environment and caches (never your sweeps)
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

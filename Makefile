# make help       what there is to make
# Everything runs in .venv, which is made when it is missing; PYTHON=python3.13 chooses another.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ARGS ?=

.PHONY: help tournament test lint types check tests slow benchmark readme figures reference net cfr clean

help:
	@echo "make tournament   sets up and plays a seeded tournament (ARGS=... adds flags)"
	@echo "make test         sets up and runs lint, format check, types and the quick tests"
	@echo "make slow         runs the tests that are left out there for time (ARGS=--minutes=N: as many as fit)"
	@echo "make benchmark    measures the speed beside OpenSpiel's own games (ARGS=... adds flags)"
	@echo "make net          trains results/net/net.npz for the bot net (an hour)"
	@echo "make cfr          trains results/cfr/policy.npz for the bot cfr (minutes)"
	@echo "make reference    solves the ladder of small packs and writes their table"
	@echo "make readme       writes the tables of the READMEs anew, and what their examples print"
	@echo "make figures      the same with examples that take minutes to hours"
	@echo "make clean        removes .venv and what tools left behind; results/ stays"

$(READY): pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	  { echo "$(PYTHON) is too old: Python 3.11 or newer is needed (make PYTHON=python3.12 ...)"; exit 1; }
	@test -x $(BIN)/python || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing what the project needs into $(VENV) (about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,learn,plots,rl]"
	@touch $(READY)

tournament: $(READY)
	@$(BIN)/python -m scripts.tournament $(ARGS)

test: lint types tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest --quiet -n 2 --dist worksteal $(ARGS)

slow: $(READY)
	$(BIN)/python -m pytest --quiet -n 2 --dist worksteal -m slow $(ARGS)

benchmark: $(READY)
	@$(BIN)/python -m scripts.benchmark $(ARGS)

readme: $(READY)
	@$(BIN)/python -m scripts.readme --write $(ARGS)

figures: $(READY)
	@$(BIN)/python -m scripts.readme --write --long $(ARGS)

reference: $(READY)
	@$(BIN)/python -m scripts.reference --write $(ARGS)

net: $(READY)
	@$(BIN)/python -m scripts.train_net $(ARGS)

cfr: $(READY)
	@$(BIN)/python -m scripts.train_cfr $(ARGS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

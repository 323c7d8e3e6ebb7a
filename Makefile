# Everything is set up from a bare python3 (3.11 or newer, with venv): `make try`, `make test`, `make help`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

PYTHON ?= python3
WORKERS ?= 3
ARGS ?=
KEEP ?=

UV_VERSION := 0.13.9
UV := .tools/bin/uv
BIN := .venv/bin
ALLOWED_LICENCES := Apache;BSD;ISC;MIT;MPL;PSF;Python Software Foundation

# Whatever else is active in this shell has no say in here.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.build/compiled
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := .venv
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22
	@echo '  (make test ARGS="tests/core -x" runs some tests; make try KEEP=dir keeps its home)'

# --- setting up ------------------------------------------------------------------------------------------------------

.PHONY: setup
setup: .venv/.synced ## make .venv with everything in uv.lock

.tools/.uv-$(UV_VERSION):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'sayso needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …' >&2; exit 1; }
	@rm -rf .tools
	@$(PYTHON) -m venv .tools || { echo 'python3 cannot make virtual environments here; on Debian: apt-get install python3-venv' >&2; exit 1; }
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

.venv/.synced: .tools/.uv-$(UV_VERSION) uv.lock pyproject.toml
	$(UV) sync --quiet --frozen --group dev --python .tools/bin/python
	@touch $@

.PHONY: system
system:
	@bash tools/system-packages

# --- using it --------------------------------------------------------------------------------------------------------

.PHONY: try
try: setup ## see the whole path on real files in a scratch home (KEEP=dir keeps it)
	@KEEP="$(KEEP)" bash tools/try

# --- proving it ------------------------------------------------------------------------------------------------------

.PHONY: test
test: setup system ## run the tests that decide whether a change may land (ARGS=… chooses some, WORKERS=n how many at once)
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

.PHONY: thorough
thorough: setup system ## run everything else: sweeps, second forms, planted bugs, conformance, benchmarks (PARTS=… chooses some)
	@WORKERS=$(WORKERS) $(BIN)/python -m tools.thorough

.PHONY: requirements
requirements: setup system ## run all tests, then list each requirement with the tests that prove it
	@status=0; $(BIN)/pytest -n $(WORKERS) -q --ring all || status=$$?; $(BIN)/python tools/requirements.py; exit $$status

.PHONY: cover
cover: setup system ## run all tests and show which lines none of them reaches
	@rm -rf .build/coverage; mkdir -p .build/coverage
	@$(BIN)/coverage run -m pytest -n $(WORKERS) --ring all $(ARGS)
	@$(BIN)/coverage combine -q; $(BIN)/coverage report

# --- long runs: SEED=, N= (tries) or MIN= (minutes), BREAK= (a planted bug); each ends with one JSON line --------------

.PHONY: kills races fuzz soak leftovers minutes
kills races fuzz leftovers minutes: setup system
	@$(BIN)/python -m tests.harness.$@

soak: setup system
	@for part in $${PART:-soak soak_page}; do $(BIN)/python -m tests.harness.$$part || exit; done

kills: ## kill sayso in the middle of deeds, undos and recoveries, 1,000 times
races: ## swap paths under sayso's feet, 100,000 times
fuzz: ## make up 1,000,000 replies for each reader, and sequences (PART=readers, sequences or decisions)
minutes: ## kill a host of triggers over a due time, and see in about four real minutes that it is run once
leftovers: ## end sayso in the middle of what it does to a desktop, and look for what it leaves
soak: ## let one long-lived program work for MIN=10 minutes, then kill the page's server again and again (PART=soak or soak_page)

.PHONY: injection
injection: setup system ## replay the attacks of AgentDojo with a model that obeys them; then count questions of its honest tasks
	@bash tests/harness/injection-run

.PHONY: local-model
local-model: setup ## let a small model that a package ships answer on this computer
	@bash tests/harness/local-model-run

.PHONY: mcp-conformance
mcp-conformance: setup ## hold sayso mcp --http against the protocol's own suite (needs npm and its registry)
	@bash tests/harness/mcp-conformance-run

.PHONY: agent-examples
agent-examples: setup ## run the examples for agents of other libraries (needs a registry of packages)
	@bash tests/harness/agent-examples-run

.PHONY: conformance
conformance: setup system ## run the shipped suites on every backend, and print backend by case; then outcomes by operation
	@status=0; $(BIN)/python -m tools.conformance || status=$$?; $(BIN)/python -m tools.outcomes || status=$$?; exit $$status

.PHONY: harness-check
harness-check: setup system ## show that each planted bug is caught by its run
	@$(BIN)/python -m tests.harness.check

.PHONY: mutants
mutants: setup system ## change the code of the guarded rooms bit by bit; each change must fail a test
	@$(BIN)/python -m tests.harness.mutants

.PHONY: bench
bench: setup system ## measure side by side with peers and with the physical limit
	@bash bench/run

.PHONY: check
check: setup ## lint, format, types, the page's scripts, floors, patterns, dependencies, licences, counts, news, docs, wheel
	@$(MAKE) -j2 --output-sync=target types all-but-types

.PHONY: types
types: setup
	$(BIN)/basedpyright

# In the order that fails fastest.
.PHONY: all-but-types
all-but-types: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tests.house
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tools.backtracking
	$(BIN)/deptry src
	@$(MAKE) -j1 scripts licences news docs wheel compiled

# While the types are checked, a core has nothing to do; otherwise each worker of `make test` would compile everything.
.PHONY: compiled
compiled: setup
	@$(BIN)/pytest --collect-only -q -n 0 >.build/collected || { tail -n 40 .build/collected; exit 1; }

.PHONY: scripts
scripts: setup
	$(BIN)/python -m tools.scripts

.PHONY: licences
licences: setup
	@$(BIN)/pip-licenses --partial-match --allow-only='$(ALLOWED_LICENCES)' --packages \
	  $$($(UV) export --quiet --frozen --no-default-groups --no-emit-project --no-hashes --no-annotate --no-header | sed -E 's/[=;[ ].*//')

.PHONY: news
news: setup
	@$(BIN)/towncrier build --draft --version next --date today

.PHONY: docs
docs: setup ## build the documentation into .build/site
	$(BIN)/zensical build --strict

.PHONY: reference
reference: setup ## write docs/reference/ and the index of operations, steps and facts from the code
	@$(BIN)/python -m tools.index
	@$(BIN)/python -m tools.reference

.PHONY: pictures
pictures: setup ## draw docs/images/ from real runs (needs Chromium, and make local-model for one of them)
	@$(BIN)/python -m tools.pictures

.PHONY: screenshots
screenshots: setup system ## take a picture of every view of the page in every state, and look for what is cut or hard to read
	@$(BIN)/python -m tests.harness.screenshots

.PHONY: wheel
wheel: setup ## build dist/*.whl and try it in an empty environment
	@rm -rf dist .build/wheel
	$(UV) build --quiet --wheel --out-dir dist --python .tools/bin/python
	$(PYTHON) -m venv .build/wheel
	.build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	@home=$$(mktemp -d); trap 'rm -rf "$$home"' EXIT; cd "$$home"; \
	for words in --version try; do \
	  echo "sayso $$words"; env -i HOME="$$home" PATH=/usr/bin:/bin LANG=C.UTF-8 "$(CURDIR)/.build/wheel/bin/sayso" $$words </dev/null; \
	done

# --- keeping house ---------------------------------------------------------------------------------------------------

.PHONY: format
format: setup ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: golden
golden: setup ## add what new steps, facts and operations look like to tests/cases/golden; nothing there is changed
	@$(BIN)/python -m tests.golden

.PHONY: ratchet
ratchet: setup ## write the counts and exceptions of tests/ratchet.toml down, if they fell
	@$(BIN)/python -m tests.house --lower

.PHONY: lock
lock: .tools/.uv-$(UV_VERSION) ## take newer versions (at least a week old) into uv.lock
	$(UV) lock --upgrade

.PHONY: clean
clean: ## remove everything that make made
	rm -rf .venv .tools .build dist site .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

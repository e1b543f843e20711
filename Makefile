# Every command of the project. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := packages/protocol packages/sdk packages/server
WEB_SOURCES := $(shell find web/protocol/src web/card-sdk/src web/card-sdk/build.mjs web/app/src web/app/index.html web/app/vite.config.ts -type f 2>/dev/null)
WEB_BUILT := packages/server/src/cardloom/web/index.html
OFFLINE := $(BIN)/python tools/private_network.py $(BIN)/python
SHIPPED := packages/server/src/cardloom/examples
INSPECTOR := examples/cards/message-inspector
INSPECTOR_SOURCES := $(wildcard $(INSPECTOR)/src/*) $(INSPECTOR)/index.html $(INSPECTOR)/vite.config.ts
INSPECTOR_BUILT := $(INSPECTOR)/dist/index.html
# On CI what failed is tried once more (docs/decisions/0018-a-second-try-on-ci.md).
tried = $(1) $(if $(CI),|| $(1) --last-failed)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-python test-alone test-web test-agents e2e check lint types contracts generated generate build smoke pictures bench ci clean

help: ## List the commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(VENV)/.ready web/node_modules/.ready $(WEB_BUILT) $(INSPECTOR_BUILT) ## Install everything a checkout needs

$(VENV)/.ready: pyproject.toml $(PACKAGES:%=%/pyproject.toml)
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Cardloom needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev $(PACKAGES:%=-e %)
	@touch $@

web/node_modules/.ready: web/package.json web/package-lock.json $(wildcard web/*/package.json)
	node -e 'const [major, minor] = process.versions.node.split(".").map(Number); if (major < 20 || (major === 20 && minor < 19)) { console.error("Cardloom needs Node 20.19 or newer"); process.exit(1) }'
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(WEB_BUILT): web/node_modules/.ready $(WEB_SOURCES)
	cd web && npm run --silent build
	@touch $@

# An example that is built finds what it is built with where the web packages have it.
$(INSPECTOR_BUILT): $(WEB_BUILT) $(INSPECTOR_SOURCES)
	ln -sfn ../web/node_modules examples/node_modules
	cd $(INSPECTOR) && ../../node_modules/.bin/vite build --logLevel warn
	@touch $@

run: setup ## Open the demo workspace and print its address
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cardloom demo .cardloom-demo

test: setup test-alone test-python test-web test-agents e2e ## Run every suite

test-python: setup ## Unit, behaviour, contract and vector tests of the Python packages
	$(call tried,$(BIN)/python -m pytest packages tests examples/cards --ignore=tests/e2e --ignore=tests/agents -n 4)
	$(BIN)/python tests/vectors/run.py tests/vectors/cards tests/vectors/ui tests/vectors/fence

test-alone: setup ## The protocol's tests in an environment that holds nothing but itself and pytest
	test -x .venv-alone/bin/python || $(PYTHON) -m venv .venv-alone
	.venv-alone/bin/python -m pip install --quiet --disable-pip-version-check pytest ./packages/protocol
	.venv-alone/bin/python tools/only_installed.py cardloom-protocol pytest
	.venv-alone/bin/python -m pytest packages/protocol/tests --ignore=packages/protocol/tests/properties -p no:cacheprovider -W ignore::pytest.PytestConfigWarning
	.venv-alone/bin/python tests/vectors/run.py tests/vectors/cards tests/vectors/ui tests/vectors/fence

test-web: setup ## Tests of the TypeScript packages
	cd web && npm test --silent

test-agents: setup ## Agents' real programs against a scripted model (ALL=1: those too that CI leaves out)
	$(BIN)/python tools/ensure_clis.py $(if $(ALL),--all)
	$(call tried,CARDLOOM_TEST_AGENTS=$(if $(ALL),all) $(OFFLINE) -m pytest tests/agents --ignore=tests/agents/backends -n 3 --dist loadgroup)
	$(call tried,CARDLOOM_TEST_AGENTS=$(if $(ALL),all) $(OFFLINE) -m pytest tests/agents/backends)

e2e: setup ## Journeys in a real browser
	tools/ensure_chromium.sh
	$(call tried,$(BIN)/python -m pytest tests/e2e -n 2 --dist loadfile)

check: lint types contracts generated ## Everything that reads the code without running it

lint: setup ## Style of the Python and the TypeScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd web && npm run --silent lint
	cd examples/cards && ../node_modules/.bin/eslint --max-warnings 0 .

types: setup ## Types of the Python and the TypeScript
	$(BIN)/mypy packages/protocol/src packages/sdk/src packages/server/src packages/protocol/tests packages/sdk/tests packages/server/tests tests tools bench examples
	cd web && npm run --silent typecheck
	cd $(INSPECTOR) && ../../node_modules/.bin/tsc

contracts: setup ## Who may import whom
	$(BIN)/lint-imports

generated: setup ## Whether the generated files are current
	$(BIN)/python tools/generate.py --check

generate: setup ## Make the generated files anew
	$(BIN)/python tools/generate.py

build: setup ## Build the three wheels into dist/
	rm -rf dist $(SHIPPED)
	mkdir $(SHIPPED) && git ls-files -z examples | tar --null -T - -c | tar -x --strip-components=1 -C $(SHIPPED)
	cp -r $(INSPECTOR)/dist $(SHIPPED)/cards/message-inspector/
	for package in $(PACKAGES); do $(BIN)/python -m build --wheel --outdir dist $$package >/dev/null || exit 1; done
	rm -rf $(SHIPPED)
	ls dist

smoke: build ## Install the wheels in an empty environment and start them
	tools/smoke.sh

pictures: setup ## Take the picture of each example anew
	tools/ensure_chromium.sh
	CARDLOOM_PICTURES=1 $(BIN)/python -m pytest tests/e2e/framed/test_examples.py tests/e2e/framed/test_clock_and_counter.py tests/e2e/test_a_failing_suite_in_a_terminal_becomes_tasks.py

bench: setup ## Run the benchmarks and print their tables
	$(BIN)/python -m bench

ci: check test smoke ## What CI runs

clean: ## Remove what the commands made
	rm -rf $(VENV) .venv-alone dist web/node_modules web/card-sdk/dist packages/server/src/cardloom/web .cardloom-demo
	rm -rf examples/node_modules $(INSPECTOR)/dist

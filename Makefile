.DEFAULT_GOAL := help
.PHONY: help demo demo-stream test lint bench setup clean

RUN := scripts/run
PYTEST_ARGS ?= -n 2 --dist loadfile

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.ready ## Answer a few queries over uncertain events, and draw the answers into out/
	@$(RUN) whenabouts demo

demo-stream: .venv/.ready ## Join two simulated sensor streams, live, until stopped with Ctrl-C
	@$(RUN) whenabouts demo-stream

test: .venv/.ready ## Run the tests (PYTEST_ARGS="-k join" picks some)
	@$(RUN) python -m pytest $(PYTEST_ARGS)

lint: .venv/.ready ## Check style, types and layers
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) mypy src
	@$(RUN) lint-imports --no-logo

bench: .venv/.ready-bench ## Measure whenabouts against other engines, in one run
	@$(RUN) python -m benchmarks

setup: ## Make or renew the environment in .venv (the other targets do so when needed)
	@scripts/setup

clean: ## Remove what the other targets made, except .venv
	@rm -rf out build dist spark-warehouse metastore_db derby.log artifacts src/*.egg-info
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

.venv/.ready: pyproject.toml constraints.txt scripts/setup
	@scripts/setup

.venv/.ready-bench: .venv/.ready
	@scripts/setup bench

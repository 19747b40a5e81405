.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

$(READY): pyproject.toml scripts/setup
	scripts/setup

setup: $(READY) ## make .venv and install everything the project needs from the package index
	@echo "ready: $(BIN)/toolwatch"

system: ## install PostgreSQL, Chromium and a font from Debian, where they are missing
	scripts/need postgresql chromium fonts

run: $(READY) ## serve on port 4318, and start again when a file changes
	$(BIN)/watchfiles --filter all "$(BIN)/toolwatch serve" server web collector alembic

demo: $(READY) ## serve, with agents that make calls of every kind
	$(BIN)/toolwatch demo

fmt: $(READY) ## format the code and repair what can be repaired
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: $(READY) ## ruff over the code, djlint over the templates
	$(BIN)/ruff format --check . && $(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet web/toolwatch_web/templates

types: $(READY) ## mypy, strict, over the packages, the tests and the scripts
	$(BIN)/mypy

arch: $(READY) ## check who may import whom
	$(BIN)/lint-imports

test: $(READY) system ## every test, on SQLite and PostgreSQL, with a real browser
	scripts/with-go scripts/with-postgres $(BIN)/pytest

test-fast: $(READY) ## unit tests: no network, no file, no sleep
	$(BIN)/pytest tests/unit

test-pg: $(READY) ## the tests that need PostgreSQL
	scripts/need postgresql
	scripts/with-postgres $(BIN)/pytest -m postgresql

browser: $(READY) system ## what a person does with the pages, in Chromium
	scripts/with-postgres $(BIN)/pytest tests/browser

scenarios: $(READY) ## real agents against their known truth
	$(BIN)/pytest tests/scenarios

scenarios-oldest: $(READY) ## the same under the oldest supported LangGraph and LangChain
	$(BIN)/python -m tests.scenarios.versions

eino: $(READY) ## vet and test the Go module for Eino
	cd eino && ../scripts/with-go go vet ./...
	cd eino && ../scripts/with-go go test -p 1 ./...

eino-latest: $(READY) ## the same with the race detector, and against the newest Eino
	cd eino && ../scripts/with-go go test -race -p 1 -timeout 300s ./...
	cd eino && ../scripts/with-go go test -p 1 -tags eino09 -modfile=go.latest.mod -timeout 100s .

demo-eino: $(READY) ## the demo of the Go module, against a server that runs already (make demo, toolwatch serve)
	cd eino && ../scripts/with-go go run ./examples/demo

check: lint types arch eino test ## all that has to hold before a change lands

wheel: $(READY) ## build the wheel into dist/, then try it away from the checkout
	$(BIN)/uv build --quiet --wheel --out-dir dist
	$(BIN)/pytest tests/contract/test_wheel.py

docs: $(READY) ## check that settings, commands and links in the documents are true
	$(BIN)/pytest tests/contract/test_docs.py

screenshots: $(READY) ## take the pictures of every page, and those of the README from a running demo
	scripts/need chromium fonts
	$(BIN)/python -m tests.browser.screenshots
	$(BIN)/python scripts/screenshots.py

migration: $(READY) ## write the next numbered migration from the tables: make migration name=what_it_does
	scripts/new-migration "$(name)"

.PHONY: help setup system run demo fmt lint types arch test test-fast test-pg browser scenarios scenarios-oldest eino eino-latest demo-eino check wheel docs screenshots migration

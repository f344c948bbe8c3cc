# `make play` and `make test` set everything up by themselves.

PYTEST = .venv/bin/pytest -n auto --dist loadfile
CODE = ggp players server experiments benchmarks tests

.DEFAULT_GOAL := help
.PHONY: help setup play test tournament-test browser-test screenshots test-long property-test corpus soak fuzz check format bench clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

setup: .venv/ready ## make the environment in .venv, with SWI-Prolog if it is missing

.venv/ready: pyproject.toml setup.sh
	./setup.sh

play: setup ## two player servers and a match manager play a game over HTTP
	.venv/bin/python -m ggp.server.demo

test: setup ## the tests, without the long ones
	$(PYTEST) -m "not long"

tournament-test: setup ## a tournament of 200 matches, killed five times, against one never killed
	.venv/bin/pytest -m long tests/tournament

browser-test: setup ## the manager's pages in Chromium, which is installed if it is missing (Debian)
	command -v chromedriver >/dev/null || apt-get install -y -qq chromium chromium-driver
	.venv/bin/pytest -rs tests/manager/test_browser.py

screenshots: setup ## pictures of the manager's pages, in screenshots/
	.venv/bin/python -m tests.manager.screenshots screenshots

test-long: setup ## the long tests too
	$(PYTEST)

property-test: setup ## every pruning rule against plain max-n, on 100,800 random games
	PROPERTY_EXAMPLES=6300 .venv/bin/pytest -n auto tests/search/test_prunings_property.py

corpus: setup ## ours against the Java reference on every rulesheet of ../shared/corpus
	.venv/bin/pytest -m long tests/corpus

soak: setup ## fifty matches at once on one server for five minutes, and 25 kinds of faults
	.venv/bin/python -m tests.soak.run

fuzz: setup ## ten minutes of nonsense for what reads messages (with atheris, if it is installed)
	.venv/bin/python -m tests.fuzz.run

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

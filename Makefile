# Every target sets up the environment first, if that has not been done.

BIN = .venv/bin
PARALLEL = -n auto --dist loadfile
CODE = ggp players server benchmarks examples tests

# Where Python keeps what it has compiled, pytest and each child process start sooner.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup kernels play test test-all timing coverage profile install-test tournament-test axe browser-test screenshots gallery \
	property-test corpus soak fuzz check format bench docs vscode clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

setup: kernels ## make the environment in .venv, install SWI-Prolog if it is missing, and compile what all games share

.venv/ready: pyproject.toml setup.sh
	./setup.sh

.venv/play: pyproject.toml setup.sh
	./setup.sh play

play: .venv/play ## two player servers and a match manager play a game over HTTP; then the pages, in a browser
	$(BIN)/python -m ggp.server.demo

# What numba compiles is cached on disk. It is compiled here, at first and after a change in it: else
# each process of the tests would do so, and players search more slowly until it is done.
kernels: .venv/ready
	$(BIN)/python -m ggp.engine

test: kernels ## the quick tests: none that is long, installs the package, or measures time
	$(BIN)/pytest $(PARALLEL) -m "not long and not install and not timing"

test-all: kernels ## all tests, with more random examples; those that measure time run alone, at the end
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest $(PARALLEL) -m "not timing"
	$(BIN)/pytest -m timing

timing: kernels ## the tests that measure time, one after the other
	$(BIN)/pytest -m timing

TESTS = tests

coverage: kernels ## which lines no quick test runs, in coverage/index.html (of TESTS="tests/match tests/kif"); compiled functions do not count
	$(BIN)/pytest $(PARALLEL) -m "not long and not install and not timing" --cov=ggp --cov-report=term:skip-covered \
		--cov-report=html:coverage $(TESTS)

RUN = solve tictactoe

profile: kernels ## in which functions a command of ggp spends its time (RUN="solve tictactoe"), and in profile.out
	$(BIN)/python -m cProfile -o profile.out -m ggp $(RUN)
	$(BIN)/python -c "from pstats import Stats; Stats('profile.out').strip_dirs().sort_stats('cumulative').print_stats(40)"

install-test: setup ## install the package in empty environments, and use it there
	$(BIN)/pytest -m install tests/test_install.py

tournament-test: setup ## compare a tournament of 200 matches, killed five times, with an undisturbed one
	$(BIN)/pytest -m long tests/tournament

AXE = tests/manager/accessibility

axe: $(AXE)/node_modules ## install axe-core (npm), which checks the pages' accessibility

$(AXE)/node_modules: $(AXE)/package.json $(AXE)/package-lock.json
	npm ci --prefix $(AXE) --no-audit --no-fund
	touch $@

browser-test: setup axe ## the manager's pages in Chromium, which is installed if it is missing (Debian)
	command -v chromedriver >/dev/null || apt-get install -y -qq chromium chromium-driver
	$(BIN)/pytest -rs tests/manager/test_browser.py tests/manager/test_editor_browser.py \
		tests/manager/home/test_in_browser.py $(AXE)

screenshots: setup ## the pictures of the tour in docs/manager.md, in docs/pictures/
	$(BIN)/python -m tests.manager.screenshots docs/pictures

gallery: setup ## pictures of all boards, in gallery/ (or of FILES="one.kif two.kif")
	$(BIN)/python -m tests.manager.boards.gallery gallery $(FILES)

property-test: setup ## compare every pruning rule with plain max-n on 100,800 random games, and as many with a horizon
	PROPERTY_EXAMPLES=6300 $(BIN)/pytest -n auto tests/search/maxn/test_prunings_property.py

corpus: setup ## compare both reasoners with the Java reference on every rulesheet of ../shared/corpus
	$(BIN)/pytest -m long tests/corpus

soak: setup ## fifty matches at once on one server for five minutes, and 34 kinds of faults
	$(BIN)/python -m tests.soak.run

fuzz: setup ## ten minutes of malformed messages (with atheris, if it is installed)
	$(BIN)/python -m tests.fuzz.run

check: .venv/ready ## lint and check types
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy

format: .venv/ready ## format the code
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: setup ## measure both reasoners, side by side
	$(BIN)/python -m benchmarks.reasoners

docs: .venv/ready ## build the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --site-dir site

vscode: ## build the extension for VS Code and test it (npm); editors/vscode/ggp.vsix
	cd editors/vscode && npm ci --no-audit --no-fund && npm test && npm run package

clean: ## remove what the other targets made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist site coverage .coverage profile.out editors/vscode/node_modules $(AXE)/node_modules
	find ggp players server benchmarks examples tests -name __pycache__ -prune -exec rm -rf {} +

#!/bin/sh
# Makes .venv on a machine that has little more than Python; it can be run again at any time.
#
#   ./setup.sh        everything, also what tests and develops the project, for `make setup`
#   ./setup.sh play   only what matches and the pages need, for `make play`
set -eu
cd "$(dirname "$0")"

case "${1:-everything}" in
    everything) EXTRAS=all,dev ;;
    play) EXTRAS=manager,server ;;
    *) echo "usage: ./setup.sh [play]" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else fail "run this as root, or install it yourself: $*"
    fi
}

apt_install() {
    say "installing $*"
    as_root apt-get update -qq || say "apt-get update failed; continuing with the present lists"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

# 1. Python 3.11 or newer.
PYTHON=
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        PYTHON=$candidate
        break
    fi
done

# 2. The environment: made by uv if it is installed, by venv otherwise.
if command -v uv >/dev/null; then
    [ -x .venv/bin/python ] || uv venv --quiet --python '>=3.11' .venv
    pip_install() { uv pip install --quiet --python .venv/bin/python "$@"; }
else
    [ -n "$PYTHON" ] || fail "Python 3.11 or newer is needed; this machine has none"
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        if ! "$PYTHON" -c 'import ensurepip' 2>/dev/null; then
            # On Debian, the module that makes environments is a separate package.
            command -v apt-get >/dev/null || fail "$PYTHON cannot make environments (no ensurepip)"
            apt_install "$("$PYTHON" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')"
        fi
        "$PYTHON" -m venv --clear .venv
    fi
    # Python compiles each module when it is first imported; to compile all of them takes longer.
    pip_install() { .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile "$@"; }
fi

# 3. What Python needs, and meanwhile SWI-Prolog, the reference reasoner; it is not on PyPI.
install_prolog() {
    command -v swipl >/dev/null && return
    if command -v apt-get >/dev/null; then apt_install swi-prolog-nox
    elif command -v brew >/dev/null; then say "installing swi-prolog"; brew install swi-prolog
    else fail "install SWI-Prolog 9 (https://www.swi-prolog.org), then run this again"
    fi
}
install_prolog & prolog=$!
pip_install --editable ".[$EXTRAS]"
if ! wait "$prolog"; then
    [ "$EXTRAS" != all,dev ] || exit 1
    say "continuing without SWI-Prolog: each game is compiled before the first answer"
fi
touch .venv/play
[ "$EXTRAS" = all,dev ] || { say "done: .venv/bin/ggp plays matches and shows pages"; exit 0; }

# 4. ABC, a model checker with which `ggp prove` proves more; everything works without it.
if ! command -v berkeley-abc >/dev/null && command -v apt-get >/dev/null; then
    (apt_install berkeley-abc) || say "berkeley-abc is not available; continuing without it"
fi

touch .venv/ready
say "done: .venv/bin/ggp is $(.venv/bin/ggp --version)"

"""What is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ggp.errors import GgpError
from ggp.prove.abc import INSTALL_HINT as ABC_HINT
from ggp.prove.abc import find_abc
from ggp.reasoner.prolog import INSTALL_HINT
from ggp.requirements import requirements

__all__ = ["Finding", "examine"]

_SWI_PROLOG = (9, 0)
#: Seconds that a program may take to tell its version.
_PATIENCE = 10.0

#: The extras of users; those for development are left out.
_EXTRAS = (
    "server",
    "manager",
    "gif",
    "tournament",
    "plots",
    "llm",
    "lsp",
    "mcp",
    "gymnasium",
    "pettingzoo",
    "openspiel",
    "selfplay",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the framework needs, and its state."""

    name: str
    ok: bool
    #: Its version, or what is wrong with it.
    detail: str
    #: What to do where it is not ok.
    fix: str = ""


def examine() -> Iterator[Finding]:
    """Examine everything that the framework needs, one thing after the other."""
    yield _python()
    yield from _packages()
    prolog = _swi_prolog()
    yield prolog
    if prolog.ok:
        yield _reasoner("prolog", "pip install --force-reinstall pyswip")
    yield _reasoner("compiled", "pip install --force-reinstall llvmlite numba clingo")
    yield _abc()


def _python() -> Finding:
    found = platform.python_version()
    ok = sys.version_info >= (3, 11)
    return Finding("python", ok, found, "install Python 3.11 or newer")


def _packages() -> Iterator[Finding]:
    extras: dict[str, list[str]] = {}
    for each in requirements():
        if each.extra is None:
            try:
                yield Finding(each.name, True, version(each.name))
            except PackageNotFoundError:
                wanted = f"{each.name}{each.versions}"
                yield Finding(each.name, False, "not installed", f"pip install '{wanted}'")
        elif each.extra in _EXTRAS:
            extras.setdefault(each.extra, []).append(each.name)
    for extra, names in extras.items():
        yield _extra(extra, names)


def _extra(extra: str, names: list[str]) -> Finding:
    """Look at the packages of an extra, which may be missing."""
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            return Finding(extra, True, f"optional, not installed: pip install 'ggp[{extra}]'")
    return Finding(extra, True, ", ".join(found))


def _swi_prolog() -> Finding:
    path = shutil.which("swipl")
    if path is None:
        return Finding("swi-prolog", False, "not installed", INSTALL_HINT)
    said = ""
    with suppress(OSError, subprocess.TimeoutExpired):
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False, timeout=_PATIENCE
        ).stdout
    words = [word for word in said.split() if word[:1].isdigit()]
    if not words:
        return Finding("swi-prolog", False, f"{path} does not tell its version", INSTALL_HINT)
    number = tuple(int(part) for part in words[0].split(".")[:2])
    return Finding("swi-prolog", number >= _SWI_PROLOG, f"{words[0]} at {path}", INSTALL_HINT)


def _abc() -> Finding:
    """Look for the model checker, which `ggp prove` can do without."""
    path = find_abc()
    return Finding("abc", True, path or f"optional, not installed: {ABC_HINT}")


def _reasoner(kind: str, fix: str) -> Finding:
    """Reason about a tiny game, which shows that Python can use the reasoner's programs."""
    from ggp.gdl import Description
    from ggp.reasoner import open_reasoner

    rules = "(role a) (init one) (legal a go) (<= (next two) (does a go)) (<= terminal (true two))"
    try:
        with open_reasoner(Description.from_text(rules), kind=kind, time_limit=30) as reasoner:
            after = reasoner.expand(reasoner.initial_state()).successors
            works = len(after) == 1 and reasoner.is_terminal(after[0])
    except (GgpError, ImportError) as error:
        return Finding(f"reasoner {kind}", False, str(error), fix)
    return Finding(f"reasoner {kind}", works, "reasons" if works else "gives wrong answers")

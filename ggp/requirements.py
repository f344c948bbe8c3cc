"""The packages that ggp needs, extras included, as its installed metadata lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires

__all__ = ["Requirement", "advice", "explained", "requirements"]

_FORM = re.compile(r"""([\w.-]+)(?:\[[\w,-]*\])?\s*([^;]*?)\s*(?:;\s*extra == ["']([\w-]+)["'])?""")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One package that ggp needs."""

    name: str
    #: The versions that serve, such as ``>=3.0,<4``.
    versions: str
    #: The extra that installs it; None if every installation has it.
    extra: str | None


def requirements() -> list[Requirement]:
    """Return what ggp needs, extras included; nothing where ggp runs without being installed."""
    try:
        lines = requires("ggp") or []
    except PackageNotFoundError:
        return []
    found = (_FORM.fullmatch(line) for line in lines)
    return [Requirement(each[1], each[2], each[3]) for each in found if each]


def advice(error: ModuleNotFoundError, *, extra: str = "") -> str | None:
    """Return how to install the extra whose package was not found; None if no extra has it.

    Args:
        error: says which module was not found.
        extra: the extra of the command that was called, which is named if it has the package. Else
            it is the one extra that all others with this package contain, or `all`.
    """
    module = _letters((error.name or "").split(".")[0])
    listed, packages = requirements(), dict[str, set[str]]()
    for each in listed:
        if each.extra not in (None, "all"):
            packages.setdefault(each.extra, set()).add(each.name)
    name = next((each.name for each in listed if _letters(each.name) == module), "")
    having = {extra: names for extra, names in packages.items() if name in names}
    if not having:
        return None
    common = set.intersection(*having.values())
    if extra not in having:
        extra = next((extra for extra, names in having.items() if names == common), "all")
    return f"{name} is not installed: pip install 'ggp[{extra}]'"


def explained(error: ModuleNotFoundError, *, extra: str) -> ModuleNotFoundError:
    """Return an error of the same kind that says which extra to install."""
    package = (error.name or "").partition(".")[0]
    told = advice(error, extra=extra) or f"{package} is not installed: pip install 'ggp[{extra}]'"
    return ModuleNotFoundError(told, name=error.name)


def _letters(name: str) -> str:
    """Return a name without what tells a package from its module, as in python-json-logger."""
    return re.sub(r"[-_]", "", name).lower()

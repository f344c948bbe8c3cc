"""Reads a player's options from text, as its constructor declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ggp.errors import PlayerError

__all__ = ["keyword_options", "option_parameters", "read_option", "takes_any_text"]

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def keyword_options(player_class: type, text: str) -> dict[str, Any]:
    """Read options such as ``depth=4,classifier=lvt`` into the constructor's keyword arguments.

    The parameter's annotation says how a value is read: `int`, `float`, `bool`, `str` or a
    `Literal` of words, each optionally ``| None``; then the value ``none`` stands for None.
    A constructor that takes ``**options`` takes those of its base class, too.

    Raises:
        PlayerError: there is no such option, it is given twice, a value does not fit, or an option
            without a default is missing.
    """
    parameters = option_parameters(player_class)
    values: dict[str, Any] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, is_given, value = (part.strip() for part in item.partition("="))
        if name not in parameters:
            raise PlayerError(f"no option {name!r}; {_available(parameters)}")
        if not is_given:
            raise PlayerError(f"option {name!r} needs a value, as in {name}=...")
        if name in values:
            raise PlayerError(f"option {name!r} is given twice")
        values[name] = read_option(name, value, parameters[name].annotation)
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in values:
            raise PlayerError(f"option {name!r} must be given; {_available(parameters)}")
    return values


def option_parameters(player_class: type) -> Mapping[str, inspect.Parameter]:
    """Return the parameters that a player's options set, by name."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found: dict[str, inspect.Parameter] = {}
    for each in player_class.__mro__:
        if "__init__" not in vars(each):
            continue
        _, *parameters = inspect.signature(
            vars(each)["__init__"], eval_str=True
        ).parameters.values()
        for parameter in parameters:
            if parameter.kind in named:
                found.setdefault(parameter.name, parameter)
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
            break
    return found


def takes_any_text(parameter: inspect.Parameter) -> bool:
    """Return whether an option can be any text, such as the name of a file."""
    kinds = _types(parameter.annotation)
    return not all(_words(kind) or kind in (int, float, bool, NoneType) for kind in kinds)


def _available(parameters: Mapping[str, inspect.Parameter]) -> str:
    listed = (f"{name} ({_describe(p.annotation)})" for name, p in parameters.items())
    return f"options are {', '.join(listed)}" if parameters else "this player takes no options"


def _types(annotation: object) -> tuple[object, ...]:
    is_union = get_origin(annotation) in (Union, UnionType)
    return get_args(annotation) if is_union else (annotation,)


def _words(annotation: object) -> tuple[str, ...]:
    """Return the words that an annotation admits; none if it is not a `Literal`."""
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _describe(annotation: object) -> str:
    names = {NoneType: "none", inspect.Parameter.empty: "str"}
    return " or ".join(
        " or ".join(_words(kind)) or names.get(kind, getattr(kind, "__name__", str(kind)))  # type: ignore[call-overload]
        for kind in _types(annotation)
    )


def read_option(name: str, text: str, annotation: object) -> object:
    """Return the value of an option that is written as text.

    Args:
        name: of the option.
        text: its value.
        annotation: how it is declared, as for `keyword_options`.

    Raises:
        PlayerError: the value does not fit.
    """
    types = _types(annotation)
    if NoneType in types and text.lower() == "none":
        return None
    for kind in types:
        if text in _words(kind):
            return text
        if kind in _READERS:
            try:
                return _READERS[kind](text)
            except (ValueError, KeyError):
                continue
    raise PlayerError(f"option {name!r} is {_describe(annotation)}, not {text!r}")


_READERS: dict[object, Callable[[str], object]] = {
    int: int,
    float: float,
    bool: lambda text: _TRUTH[text.lower()],
    str: str,
    inspect.Parameter.empty: str,
}

"""Records in XML, read into the fields of ggp-base's JSON.

ggp-base's own XML is its JSON with other tags (`org.ggp.base.util.match.Match.toXML`). Dresden's
GameController writes a folder for each match, with a file for each state: ``step_1.xml`` is the
first one, and every file tells the moves so far and one state; the last one also has the goals, and
is there a second time as ``finalstate.xml``. Dresden writes facts in upper case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ggp.errors import RecordError
from ggp.files import read_file
from ggp.kif import MAX_DEPTH

__all__ = ["MAX_RECORD", "dresden_fields", "is_xml", "xml_fields"]

#: Bytes of the largest record that is read.
MAX_RECORD = 64_000_000

_SYMBOL = re.compile(r"[^\s()]+")
_STEP = re.compile(r"step_([0-9]+)\.xml")

#: What the name and the arguments of a term are called by ggp-base, and by Dresden.
_NAMES, _ARGUMENTS = ("relation", "prop-f"), ("argument", "arg")


def is_xml(data: bytes) -> bool:
    """Whether a file looks like XML rather than JSON."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def xml_fields(data: bytes, path: Path) -> dict[str, Any]:
    """Read a record of ggp-base's, or the one of Dresden's that has a file at the path.

    Raises:
        OSError: another file of the record cannot be read.
        RecordError: it is no record of either.
    """
    match = _parsed(data)
    return (
        _ggp_base_fields(match)
        if match.find("matchId") is not None
        else dresden_fields(path.parent)
    )


def dresden_fields(folder: Path) -> dict[str, Any]:
    """Read a record of Dresden's from its folder. Raises `OSError`, `RecordError`."""
    found = {
        int(name[1]): path for path in folder.iterdir() if (name := _STEP.fullmatch(path.name))
    }
    if not found:
        raise RecordError(
            "no record: neither JSON, nor XML of ggp-base's, nor step_1.xml and so on"
        )
    matches, left = [], MAX_RECORD
    for number in range(1, max(found) + 1):
        if number not in found:
            raise RecordError(f"step_{number}.xml is missing")
        # The folder may come from elsewhere, and what is in it be links to devices.
        data = read_file(found[number], most=left, is_regular=True)
        left -= len(data)
        matches.append(_parsed(data))
    histories = [_dresden_moves(match) for match in matches]
    last, moves = matches[-1], histories[-1]
    for step, (match, history) in enumerate(zip(matches, histories, strict=True)):
        if _text(match, "match-id") != _text(last, "match-id") or history != moves[:step]:
            raise RecordError(f"step_{step + 1}.xml does not belong to step_{len(matches)}.xml")
    times = [_integer(_text(match, "timestamp"), "timestamp") for match in matches]
    goals = [_integer(reward.text, "reward") for reward in last.iterfind("scores/reward")]
    return {
        "matchId": _text(last, "match-id"),
        "randomToken": "",
        "startTime": times[0],
        "isCompleted": last.find("scores") is not None,
        "states": [_state(match.find("state")) for match in matches],
        "moves": moves,
        "stateTimes": times,
        "startClock": _integer(_text(last, "startclock"), "startclock"),
        # It is left out where the game is over.
        "playClock": _integer(matches[0].findtext("playclock", "0"), "playclock"),
        "goalValues": goals,
        "playerNamesFromHost": [player.text or "" for player in last.iterfind("player")],
    }


def _ggp_base_fields(match: Element) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "states": [_state(state) for state in match.iterfind("herstory/state")],
        "moves": [
            [_term(action) for action in move.iterfind("action")]
            for move in match.iterfind("history/move")
        ],
        "errors": [
            [error.text or "" for error in errors.iterfind("error")]
            for errors in match.iterfind("errorHistory/errors")
        ],
    }
    for name, read in _LISTS.items():
        fields[name] = [read(element.text, name) for element in match.iterfind(name)]
    for name, read in _LEAVES.items():
        element = match.find(name)
        if element is not None:
            fields[name] = read(element.text, name)
    return fields


def _dresden_moves(match: Element) -> list[list[str]]:
    moves = [
        [move.text or "" for move in step.iterfind("move")]
        for step in match.iterfind("history/step")
    ]
    if not all(moves):
        raise RecordError(
            f"the moves are left out, as it tells only what {_text(match, 'sight-of')} could see"
        )
    return moves


def _state(state: Element | None) -> str:
    if state is None:
        raise RecordError("a file has no state")
    return f"( {' '.join(_term(fact) for fact in state.iterfind('fact'))} )"


def _term(element: Element, depth: int = 0) -> str:
    """Return a term in KIF: a text is a symbol, a name with arguments a compound."""
    if depth > MAX_DEPTH:
        raise RecordError("a term is nested too deep")
    names = [child for child in element if child.tag in _NAMES]
    arguments = [_term(child, depth + 1) for child in element if child.tag in _ARGUMENTS]
    text = ((names[0] if names else element).text or "").strip()
    if not _SYMBOL.fullmatch(text):
        raise RecordError(f"<{element.tag}> holds no term: {text!r:.60}")
    return f"({text} {' '.join(arguments)})" if arguments else text


def _parsed(data: bytes) -> Element:
    try:
        match = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise RecordError(f"this is not XML: {error}") from None
    if match.tag != "match":
        raise RecordError(f"a record in XML is a <match>, not a <{match.tag}>")
    return match


def _text(match: Element, tag: str) -> str:
    text = match.findtext(tag)
    if text is None:
        raise RecordError(f"<{tag}> is missing")
    return text.strip()


def _string(text: str | None, _name: str) -> str:
    return text or ""


def _integer(text: str | None, name: str) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise RecordError(f"{name} should be an integer, not {text!r:.60}") from None


def _truth(text: str | None, name: str) -> bool:
    if text not in ("true", "false"):
        raise RecordError(f"{name} should be true or false, not {text!r:.60}")
    return text == "true"


#: The other fields of ggp-base's JSON, and how they are read.
_LEAVES: dict[str, Callable[[str | None, str], object]] = {
    "matchId": _string,
    "randomToken": _string,
    "startTime": _integer,
    "gameMetaURL": _string,
    "isCompleted": _truth,
    "isAborted": _truth,
    "previewClock": _integer,
    "startClock": _integer,
    "playClock": _integer,
    "tournamentNameFromHost": _string,
    "scrambled": _truth,
}
_LISTS: dict[str, Callable[[str | None, str], object]] = {
    "stateTimes": _integer,
    "goalValues": _integer,
    "playerNamesFromHost": _string,
    "isPlayerHuman": _truth,
}

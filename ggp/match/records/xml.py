"""Records in XML, read into the fields of ggp-base's JSON.

ggp-base's own XML is its JSON with other tags (`org.ggp.base.util.match.Match.toXML`). Dresden's
GameController writes a folder for each match, with a file for each state: ``step_1.xml`` is the
first one, and every file tells the moves so far and one state; the last one also has the goals, and
is there a second time as ``finalstate.xml``. Dresden writes facts in upper case.

Stanford's Gamemaster wrote one file for each match. In 2007 it told the moves in prefix notation,
``move(1,2,2,3)``, and the last state with its names in upper case; in 2008 the moves in KIF, and
all states. Neither says when the match was: its times are 0 here. Earlier files tell no moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ggp.errors import KifError, RecordError
from ggp.files import read_file
from ggp.kif import MAX_DEPTH, parse_term

__all__ = ["MAX_RECORD", "dresden_fields", "is_xml", "xml_fields"]

#: Bytes of the largest record that is read.
MAX_RECORD = 64_000_000

_SYMBOL = re.compile(r"[^\s()]+")
#: What a move in prefix notation is made of: a name, perhaps with what opens its arguments; a mark.
_CALL = re.compile(r"(?P<name>[^\s(),]+)(?P<opens>\((?!\s*\)))?(\(\s*\))?|(?P<mark>[(),])")
_STEP = re.compile(r"step_([0-9]+)\.xml")

#: What the name and the arguments of a term are called by ggp-base, by Dresden, and by Stanford.
_NAMES, _ARGUMENTS = ("relation", "prop-f", "prop"), ("argument", "arg")


def is_xml(data: bytes) -> bool:
    """Whether a file looks like XML rather than JSON."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def xml_fields(data: bytes, path: Path) -> dict[str, Any]:
    """Read a record of ggp-base's or Stanford's, or the one of Dresden's with a file at the path.

    Raises:
        OSError: another file of the record cannot be read.
        RecordError: it is no record of any of them.
    """
    match = _parsed(data)
    if match.find("matchId") is not None:
        return _ggp_base_fields(match)
    is_named = "id" in match.keys() or match.find("match-id") is not None  # noqa: SIM118
    if is_named and match.find("timestamp") is None:
        return _stanford_fields(match)
    return dresden_fields(path.parent)


def dresden_fields(folder: Path) -> dict[str, Any]:
    """Read a record of Dresden's from its folder. Raises `OSError`, `RecordError`."""
    found = {
        int(name[1]): path for path in folder.iterdir() if (name := _STEP.fullmatch(path.name))
    }
    if not found:
        raise RecordError(
            "no record: neither JSON, nor XML of ggp-base's or Stanford's, nor step_1.xml and so on"
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


def _stanford_fields(match: Element) -> dict[str, Any]:
    if match.find("history") is None:
        raise RecordError("it tells who played and the scores, but no moves")
    steps = _in_order(match.findall("history/step"), "step-number")
    moves = [[_move(move) for move in step.iterfind("move")] for step in steps]
    for step in _in_order(match.findall("history/move"), "stepnum"):
        moves.append([_move(action) for action in step.iterfind("action")])
    states = list(map(_state, _in_order(match.findall("herstory/state"), "stepnum")))
    last = match.find("state")
    rewards = [*match.iterfind("scores/reward"), *match.iterfind("rewards/reward")]
    return {
        "matchId": (match.get("id") or _text(match, "match-id")).strip(),
        "randomToken": "",
        "startTime": 0,
        "tournamentNameFromHost": _string(match.findtext("tournament"), "tournament"),
        "scrambled": match.findtext("scrambled", "No").strip().lower() == "yes",
        "isCompleted": bool(rewards),
        "states": states,
        "finalState": None if states or last is None else _state(last),
        "moves": moves,
        "stateTimes": [0 for _ in states],
        "startClock": _integer(match.findtext("startclock", "-1"), "startclock"),
        "playClock": _integer(match.findtext("playclock", "-1"), "playclock"),
        "goalValues": [_integer(reward.text, "reward") for reward in rewards],
        "playerNamesFromHost": [player.text or "" for player in match.iterfind("player")],
    }


def _in_order(steps: list[Element], tag: str) -> list[Element]:
    """Return the steps, which must be numbered from 1, by their numbers."""
    numbers = [_integer(_text(step, tag), tag) for step in steps]
    if sorted(numbers) != list(range(1, len(steps) + 1)):
        raise RecordError(f"<{tag}> should count from 1 to {len(steps)}")
    return [step for _, step in sorted(zip(numbers, steps, strict=True), key=lambda pair: pair[0])]


def _move(element: Element) -> str:
    """Return a move in KIF. It may be written so, or as ``f(2,g(3))``."""
    text = (element.text or "").strip()
    if text.startswith("("):
        return text
    parts: list[str] = []
    depth, is_term_next = 0, True
    for found in _CALL.finditer(text):
        name, opens, mark = found["name"], found["opens"], found["mark"]
        if is_term_next != (name is not None):
            break
        if name is not None:
            parts.append(f"({name}" if opens else name)
            depth, is_term_next = depth + bool(opens), bool(opens)
        elif depth and mark == ")":
            parts.append(mark)
            depth -= 1
        elif depth and mark == ",":
            is_term_next = True
        else:
            break
    else:
        if depth == 0 and not is_term_next:
            return " ".join(parts)
    raise RecordError(f"<{element.tag}> holds no move: {text!r:.60}")


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
    """Return a term in KIF: a text is a symbol or in KIF, a name with arguments a compound."""
    if depth > MAX_DEPTH:
        raise RecordError("a term is nested too deep")
    names = [child for child in element if child.tag in _NAMES]
    arguments = [_term(child, depth + 1) for child in element if child.tag in _ARGUMENTS]
    text = ((names[0] if names else element).text or "").strip()
    if not _SYMBOL.fullmatch(text) and not (text.startswith("(") and _is_kif(text)):
        raise RecordError(f"<{element.tag}> holds no term: {text!r:.60}")
    return f"({text} {' '.join(arguments)})" if arguments else text


def _is_kif(text: str) -> bool:
    try:
        parse_term(text)
    except KifError:
        return False
    return True


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

"""Records of whole matches, played at random, and written as others write them."""

from __future__ import annotations

import random
from pathlib import Path
from xml.sax.saxutils import escape

from ggp.gdl import Description
from ggp.kif import Compound, Symbol, Term
from ggp.match import MatchRecord
from ggp.reasoner import JointMove, Reasoner, open_reasoner

GAMES = Path(__file__).parents[3] / "games"


def opened(rules: str) -> Reasoner:
    return open_reasoner(Description.from_text(rules), kind="prolog")


def played(reasoner: Reasoner, *, seed: int = 1) -> MatchRecord:
    """Play a match at random and record it."""
    chance = random.Random(seed)
    state = reasoner.initial_state()
    states, moves = [reasoner.facts(state)], []
    while not (view := reasoner.view(state)).terminal:
        joint_move: JointMove = tuple(chance.choice(legal) for legal in view.legal)
        state = reasoner.next_state(state, joint_move)
        moves.append(joint_move)
        states.append(reasoner.facts(state))
    nothing = ("",) * len(reasoner.roles)
    return MatchRecord(
        match_id="game.1700000000000.ab12",
        random_token="t0ken",
        start_time=1_700_000_000_000,
        game_meta_url="http://games.ggp.org/base/games/game/",
        start_clock=30,
        play_clock=15,
        player_names=tuple(f"player{index}" for index in range(len(nothing))),
        is_player_human=(False,) * len(nothing),
        tournament_name="cup",
        is_scrambled=True,
        is_completed=True,
        states=tuple(states),
        state_times=tuple(1_700_000_000_000 + 1000 * index for index in range(len(states))),
        moves=tuple(moves),
        errors=(nothing,) * len(states),
        goal_values=tuple(goal or 0 for goal in view.goals),
    )


def ggp_base_xml(record: MatchRecord) -> str:
    """Write a record as `Match.toXML` of ggp-base does: on one line, in no certain order."""
    states = "".join(
        f"<state>{''.join(f'<fact>{_ggp_base(fact)}</fact>' for fact in facts)}</state>"
        for facts in record.states
    )
    moves = "".join(
        f"<move>{''.join(f'<action>{_ggp_base(move)}</action>' for move in joint_move)}</move>"
        for joint_move in record.moves
    )
    errors = "".join(
        f"<errors>{''.join(f'<error>{error}</error>' for error in errors)}</errors>"
        for errors in record.errors
    )
    leaves = {
        "isCompleted": [record.is_completed],
        "goalValues": record.goal_values,
        "startTime": [record.start_time],
        "matchId": [record.match_id],
        "playClock": [record.play_clock],
        "stateTimes": record.state_times,
        "scrambled": [record.is_scrambled],
        "previewClock": [record.preview_clock],
        "isAborted": [record.is_aborted],
        "playerNamesFromHost": record.player_names,
        "gameMetaURL": [record.game_meta_url],
        "startClock": [record.start_clock],
        "isPlayerHuman": record.is_player_human,
        "tournamentNameFromHost": [record.tournament_name],
        "randomToken": [record.random_token],
    }
    rest = "".join(
        f"<{tag}>{str(value).lower() if isinstance(value, bool) else value}</{tag}>"
        for tag, values in leaves.items()
        for value in values
    )
    return (
        f"<match><herstory>{states}</herstory><errorHistory>{errors}</errorHistory>"
        f"<history>{moves}</history>{rest}</match>"
    )


def _ggp_base(term: Term) -> str:
    if isinstance(term, Symbol):
        return term.text
    arguments = "".join(f"<argument>{_ggp_base(item)}</argument>" for item in term.arguments)
    return f"<relation>{term.name}</relation>{arguments}"


def write_dresden(folder: Path, record: MatchRecord, roles: list[str]) -> None:
    """Write a record as Dresden's `XMLGameStateWriter` does: a file for each state."""
    folder.mkdir(parents=True)
    for step in range(1, len(record.states) + 1):
        text = dresden_xml(record, roles, step)
        (folder / f"step_{step}.xml").write_text(text, encoding="iso-8859-1")
    (folder / "finalstate.xml").write_text(text, encoding="iso-8859-1")


def dresden_xml(record: MatchRecord, roles: list[str], step: int) -> str:
    is_last = step == len(record.states)
    lines = [
        '<?xml version="1.0" encoding="ISO-8859-1" standalone="no"?>',
        '<?xml-stylesheet type="text/xsl" href="../../stylesheets/generic/generic.xsl"?>'
        '<!DOCTYPE match SYSTEM "http://games.stanford.edu/gamemaster/xml/viewmatch.dtd">',
        "<match>",
        f"<match-id>{record.match_id}</match-id>",
        "<sight-of>RANDOM</sight-of>",
        "<gdl-version>1</gdl-version>",
        *(f"<role>{role}</role>" for role in roles),
        *(f"<player>{escape(name.upper())}</player>" for name in record.player_names),
        f"<timestamp>{record.state_times[step - 1]}</timestamp>",
        f"<startclock>{record.start_clock}</startclock>",
        *([] if is_last else [f"<playclock>{record.play_clock}</playclock>"]),
        "<history>",
    ]
    for number, joint_move in enumerate(record.moves[: step - 1], start=1):
        lines += ["<step>", f"<step-number>{number}</step-number>"]
        lines += [f"<move>{str(move).upper()}</move>" for move in joint_move]
        lines += ["</step>"]
    lines += ["</history>"]
    if is_last:
        lines += ["<scores>", *(f"<reward>{goal}</reward>" for goal in record.goal_values)]
        lines += ["</scores>"]
    lines += ["<state>", *(_dresden(fact, "fact") for fact in record.states[step - 1]), "</state>"]
    return "\n".join([*lines, "</match>", ""])


def _dresden(term: Term, tag: str) -> str:
    name = term.text if isinstance(term, Symbol) else term.name
    if isinstance(term, Symbol) and tag == "arg":
        return f"<arg>{name.upper()}</arg>"
    items = term.arguments if isinstance(term, Compound) else ()
    arguments = "\n".join(_dresden(item, "arg") for item in items)
    return f"<{tag}>\n<prop-f>{name.upper()}</prop-f>\n{arguments}</{tag}>"


def stanford_2007_xml(record: MatchRecord, roles: list[str]) -> str:
    """Write a record as Stanford's Gamemaster did in 2007: with the last state alone."""
    lines = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE match SYSTEM "http://games.stanford.edu/gamemaster/xml/viewmatch.dtd">',
        "<match>",
        f"<match-id>{record.match_id}</match-id>",
        *(f"<role>{role.capitalize()}</role>" for role in roles),
        *(f"<player>{escape(name.upper())}</player>" for name in record.player_names),
        "<history>",
    ]
    for number, joint_move in enumerate(record.moves, start=1):
        lines += [" <step>", f"  <step-number>{number}</step-number>"]
        lines += [f"  <move>{_call(move)}</move>" for move in joint_move]
        lines += [" </step>"]
    lines += ["</history>", "<scores>"]
    lines += [f" <reward>{goal}</reward>" for goal in record.goal_values]
    lines += ["</scores>", "<state>"]
    for fact in record.states[-1]:
        if isinstance(fact, Symbol):
            lines += [" <fact>", f"  <prop>{fact.text.upper()}</prop>", " </fact>"]
        else:
            lines += [" <fact>", f"  <prop-f>{fact.name.upper()}</prop-f>"]
            lines += [f"  <arg>{str(item).upper()}</arg>" for item in fact.arguments]
            lines += [" </fact>"]
    return "\n".join([*lines, "</state>", "</match>", ""])


def _call(term: Term) -> str:
    if isinstance(term, Symbol):
        return term.text
    return f"{term.name}({','.join(map(_call, term.arguments))})"


def stanford_2008_xml(record: MatchRecord, roles: list[str]) -> str:
    """Write a record as Stanford's Gamemaster did in 2008."""
    lines = [
        "<?xml version='1.0'?>",
        f"<match id='{record.match_id}'>",
        "<game>Game</game>",
        *(f"<role>{role.capitalize()}</role>" for role in roles),
        *(f"<player>{escape(name)}</player>" for name in record.player_names),
        "<scrambled>Yes</scrambled>",
        "<timed>Yes</timed>",
        f"<startclock>{record.start_clock}</startclock>",
        f"<playclock>{record.play_clock}</playclock>",
        "<tournament>cup</tournament>",
        "<herstory>",
    ]
    for number, facts in enumerate(record.states, start=1):
        lines += [" <state>", f"  <stepnum>{number}</stepnum>"]
        lines += [f"  <fact>{_ggp_base(fact)}</fact>" for fact in facts]
        lines += [" </state>"]
    lines += ["</herstory>", "<history>"]
    for number, joint_move in enumerate(record.moves, start=1):
        lines += [" <move>", f"  <stepnum>{number}</stepnum>"]
        lines += [f"  <action>{move}</action>" for move in joint_move]
        lines += [" </move>"]
    lines += ["</history>", "<rewards>"]
    lines += [f" <reward>{goal}</reward>" for goal in record.goal_values]
    return "\n".join([*lines, "</rewards>", "</match>", ""])

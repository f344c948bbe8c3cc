"""`ggp match`: one match between players here or elsewhere, shown move by move."""

from __future__ import annotations

import logging
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ggp.cli.common import (
    Seconds,
    clock_options,
    complete_players,
    game_argument,
    interruptible,
    json_option,
    load_game,
    log_to_stderr,
    name_and_url,
    reasoner_option,
    seed_option,
    show_progress,
)
from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.match import (
    Event,
    LocalPlayer,
    MatchFinished,
    MatchRecord,
    MatchSettings,
    MatchStarted,
    MoveMade,
    Participant,
    PlayersReady,
    Referee,
    Scrambled,
    SearchInfo,
    draw,
    make_participant,
    new_match_id,
    player_names,
    seats,
)
from ggp.printable import printable

__all__ = ["command"]


@click.command("match")
@game_argument
@click.argument("players", metavar="PLAYER...", nargs=-1, shell_complete=complete_players)
@clock_options
@click.option(
    "--record",
    "record_path",
    metavar="OUT.json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to record the match.  [default: matches/ID.json]",
)
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    help="Abort the match if it is not over after this many joint moves.",
)
@click.option(
    "--seconds",
    type=Seconds(),
    help="Abort the match if it is not over after this time; what was played is recorded.",
)
@click.option(
    "--wait",
    type=Seconds(or_none=True),
    default=30,
    show_default=True,
    help="Seconds to wait until the players elsewhere listen.",
)
@click.option("--quiet", is_flag=True, help="Show the goals alone, and no moves.")
@click.option("--scramble", is_flag=True, help="Rename the game's words for remote players.")
@click.option("--traceback", is_flag=True, help="Show the tracebacks of errors in players.")
@seed_option
@reasoner_option
@json_option
def command(
    file: str,
    players: tuple[str, ...],
    start_clock: float,
    play_clock: float,
    record_path: Path | None,
    max_steps: int | None,
    seconds: float | None,
    wait: float,
    quiet: bool,
    scramble: bool,
    traceback: bool,
    seed: int | None,
    reasoner: str,
    as_json: bool,
) -> None:
    """Play one match of the game in FILE, show it move by move, and record it.

    Each role but `random` needs a PLAYER, in the order of the roles: the name of a player with
    its options, such as `legal` or `random:seed=1`; a class of your own, such as
    `package.module.Class`; or the address of any player of the match protocol, such as
    `http://localhost:9147`. The match begins when all players elsewhere listen. Ctrl-C aborts the
    match; what was played is recorded.

    Exit code 1 says that the match was aborted, as by --max-steps or --seconds, or that a player
    made an error.
    """
    description = load_game(file)
    name, url = name_and_url(file)
    settings = MatchSettings(new_match_id(name), description, start_clock, play_clock)
    path = record_path or Path("matches") / f"{settings.match_id}.json"
    roles = seats(description)
    if len(players) != len(roles):
        raise click.ClickException(
            f"{len(roles)} roles ({', '.join(map(str, roles))}) need as many players, not "
            f"{len(players)}; a player is {', '.join(player_names())} or a URL"
        )
    log_to_stderr()
    if traceback:
        logging.getLogger("ggp.match").setLevel(logging.DEBUG)
    with ExitStack() as stack, interruptible(seconds) as deadline:
        participants: list[Participant] = []
        try:
            MatchRecord.check_writable(path)
            for number, player in enumerate(players):
                own_seed = None if seed is None else seed + number
                participant = _participant(
                    player, seed=own_seed, scramble=scramble, reasoner=reasoner
                )
                participants.append(stack.enter_context(closing(participant)))
            _await_all(participants, deadline.within(wait))
            referee = Referee(
                settings,
                participants,
                reasoner=reasoner,
                seed=seed,
                game_url=url,
                max_steps=max_steps,
            )
        except PlayerError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            raise click.ClickException(f"{path}: {error.strerror}") from None
        console = Console(highlight=False, quiet=as_json)
        shown = _Display(console, description, is_brief=quiet)
        finished = None
        for event in referee.run(deadline):
            shown.show(event)
            finished = event
    if as_json:
        click.echo(referee.record.to_json())
    _write(referee.record, path, is_printed=as_json)
    if not as_json:
        click.echo(printable(f"recorded in {path}"))
    complaints = list(_complaints(referee.record, description))
    if isinstance(finished, MatchFinished) and finished.goals is None:
        complaints.append(f"the match was aborted: {finished.remark}")
    for complaint in complaints:
        click.echo(f"ggp: {printable(complaint)}", err=True)
    if complaints:
        sys.exit(1)


def _participant(player: str, *, seed: int | None, scramble: bool, reasoner: str) -> Participant:
    """Make a participant from what the user named. Raises `PlayerError`."""
    participant = make_participant(player, seed=seed, reasoner=reasoner)
    if not scramble or isinstance(participant, LocalPlayer):
        return participant
    return Scrambled(participant, seed=secrets.randbits(32) if seed is None else seed)


def _await_all(participants: Sequence[Participant], deadline: Deadline) -> None:
    """Wait until all are there. Raises `click.ClickException`."""
    try:
        for participant in participants:
            show_progress(printable(f"waiting for {participant.name}"))
            participant.await_ready(deadline)
    except ConnectionError as error:
        raise click.ClickException(f"{error}; start it first, or --wait longer") from None
    finally:
        show_progress("")


def _write(record: MatchRecord, path: Path, *, is_printed: bool) -> None:
    """Write the record; if that fails, keep it with the temporary files or print it, and say so.

    Args:
        record: the record.
        path: its file.
        is_printed: whether it has been printed already.
    """
    try:
        record.write(path)
    except (OSError, KeyboardInterrupt) as error:
        reason = error.strerror if isinstance(error, OSError) else "interrupted"
        kept = Path(tempfile.gettempdir()) / f"{record.match_id}.json"
        where = f"in {kept}"
        try:
            record.write(kept)
        except OSError:  # the same disk, perhaps
            where = "printed above"
            if not is_printed:
                click.echo(record.to_json())
        raise click.ClickException(f"{path}: {reason}; the record is {where}") from None


_REASONS = {
    "TO": "did not answer in time",
    "CE": "gave no answer",
    "IL": "answered with an illegal move",
    "EX": "failed in its own code",
}

#: How the error of a local player begins that was too slow: its first legal move was made.
_IDLE = "EX yielded no move"


def _complaints(record: MatchRecord, description: Description) -> list[str]:
    """Return one line for each player that made an error."""
    lines = []
    for index, (role, player) in enumerate(
        zip(description.roles, record.player_names, strict=True)
    ):
        at_start, *in_turns = [_reason(errors[index]) for errors in record.errors] or [""]
        reasons = Counter(filter(None, in_turns))
        told = [f"{reason} ({n})" for reason, n in reasons.items()]
        when = [f"in {reasons.total()} of {len(in_turns)} turns: {', '.join(told)}"] if told else []
        when += [f"at the start: {at_start}"] if at_start else []
        if when:
            lines.append(f"{role}, played by {player}, made errors {'; '.join(when)}")
    return lines


def _reason(error: str) -> str:
    """Return what an error of a record says, whatever the move; "" for none."""
    if error.startswith(_IDLE):
        return error.removeprefix("EX ")
    return _REASONS[error.partition(" ")[0]] if error else ""


class _Display:
    """Shows a match on the terminal."""

    def __init__(
        self, console: Console, description: Description, *, is_brief: bool = False
    ) -> None:
        """Show a match; if it is to be brief, its goals alone."""
        self._console = console
        self._is_brief = is_brief
        self._description = description
        self._roles: tuple[Symbol, ...] = ()
        self._players: tuple[str, ...] = ()
        #: The reasoner of each role at its last move.
        self._reasoners: dict[Symbol, str] = {}

    def show(self, event: Event) -> None:
        if self._console.quiet:
            return
        match event:
            case MatchStarted():
                self._roles, self._players = event.roles, event.players
                if self._is_brief:
                    return
                self._print(f"match {event.match_id}")
                for role, player in zip(event.roles, event.players, strict=True):
                    self._print(f"  {role}: {player}")
                self._show_board(event.facts)
            case PlayersReady() if not self._is_brief:
                self._show_start(event)
            case MoveMade() if not self._is_brief:
                self._show_moves(event)
                self._show_board(event.facts)
            case MatchFinished(goals=goals, remark=remark):
                if goals is not None:
                    self._show_goals(goals)
                    if remark:
                        self._print(remark, style="red")

    def _print(self, line: str, *, style: str | None = None) -> None:
        """Print a line, which may contain text from players."""
        self._console.print(printable(line), style=style, markup=False)

    def _show_start(self, event: PlayersReady) -> None:
        if any(event.search) or any(event.notes):
            self._print("start clock")
        for role, note in zip(self._roles, event.notes, strict=False):
            if note:
                self._print(f"    {role}: {note}", style="dim")
        for role, info in zip(self._roles, event.search, strict=True):
            if info is not None:
                self._show_search(role, info)
        for role, error in zip(self._roles, event.errors, strict=True):
            if error:
                self._print(_explain(role, error), style="red")

    def _show_moves(self, event: MoveMade) -> None:
        line = Text(f"{event.step}.")
        for role, move, seconds in zip(self._roles, event.joint_move, event.seconds, strict=True):
            line.append(f"  {role} ").append(str(move), "bold").append(f" {seconds:.2f} s", "dim")
        self._console.print(line)
        for role, info in zip(self._roles, event.search, strict=True):
            if info is not None:
                self._show_search(role, info)
        for role, error in zip(self._roles, event.errors, strict=True):
            if error:
                text = _explain(role, error)
                if error.startswith(_IDLE):
                    text += "; its first legal move was made"
                elif not error.startswith("EX"):
                    text += "; a random move was made instead"
                self._print(text, style="red")

    def _show_search(self, role: Symbol, info: SearchInfo) -> None:
        parts = (
            [f"depth {info.depth}", f"{info.nodes:,} nodes"]
            if info.nodes or info.depth
            else ["no search"]
        )
        if info.value is not None:
            parts.append(f"value {info.value:.4g}{' (proven)' if info.is_proven else ''}")
        before, self._reasoners[role] = self._reasoners.get(role), info.reasoner
        if info.reasoner != before == "prolog":
            parts.append("machine code took over")
        self._print(f"    {role}: {', '.join(parts)}", style="dim")

    def _show_board(self, facts: tuple[Term, ...]) -> None:
        board = draw(facts, self._description.domains.facts)
        if board:
            self._console.print(board, style="dim", markup=False)

    def _show_goals(self, goals: tuple[int, ...]) -> None:
        table = Table("role", "player", "goal", box=None)
        for role, player, goal in zip(self._roles, self._players, goals, strict=True):
            table.add_row(Text(str(role)), Text(printable(player)), Text(str(goal), "bold"))
        self._console.print(table)


def _explain(role: Symbol, error: str) -> str:
    code, _, detail = error.partition(" ")
    if error.startswith(_IDLE):
        return f"    {role} {detail}"
    reason = {
        "TO": "did not answer in time",
        "CE": "gave no answer",
        "IL": f"may not do {detail}" if detail else "answered with no term of the game",
        "EX": f"made an error in its own code: {detail}",
    }
    return f"    {role} {reason[code]}"

"""What players have learned: a folder of networks, found by the rules of a game.

Each game has one file, an npz that `ValueNet.load` reads, too. Its name is the game's key, which
does not depend on the words of a rulesheet nor on the order of its rules; the rules in the file say
how the words correspond. Files are replaced as a whole, so processes may share a folder.
"""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_data_path

from ggp.errors import GgpError
from ggp.files import read_file, replace_file
from ggp.gdl import Description, correspondence, game_key
from ggp.kif import parse_term, renamed
from ggp.learning.learner import Progress
from ggp.learning.trial import TrialResult
from ggp.search import ValueNet

__all__ = ["DEFAULT_LIMIT", "Entry", "Knowledge", "Learned", "Store", "default_folder"]

#: Bytes that a folder may hold before what was used least recently is dropped.
DEFAULT_LIMIT = 1 << 30

_SUFFIX = ".npz"
#: Bytes of the largest file that is read.
_MAX_BYTES = 1 << 28

#: The points of a curve that are kept.
_POINTS = 200

_log = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return $GGP_KNOWLEDGE_DIR, else the usual place, such as ~/.local/share/ggp/knowledge."""
    own = os.environ.get("GGP_KNOWLEDGE_DIR")
    return Path(own) if own else user_data_path("ggp", appauthor=False) / "knowledge"


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """How a network came about, and what it is worth."""

    #: Of the rulesheet, if it had one.
    name: str | None = None
    #: Joint moves and matches of self-play, and the seconds that they took.
    plies: int = 0
    matches: int = 0
    seconds: float = 0.0
    #: Its share of the goals in short matches against random playouts, how many there were, and the
    #: joint moves of self-play since.
    score: float | None = None
    trial: int = 0
    untried: int = 0
    #: The search that plays by it: "alphabeta" or "mcts".
    search: str = "mcts"
    #: The loss, in nats, each with the number of joint moves made until then.
    curve: tuple[tuple[int, float], ...] = ()

    @property
    def is_trusted(self) -> bool:
        """Whether players and analyses use the network."""
        return self.score is not None and TrialResult(self.trial, self.score).is_won

    def after(self, progress: Progress, trial: TrialResult | None) -> Learned:
        """Return this after more self-play, and a trial if there was one.

        A trial without a match says nothing: the score of the one before stays.
        """
        plies = self.plies + progress.plies
        curve = [(self.plies + number, loss) for number, loss in progress.curve]
        tried: dict[str, Any] = {"untried": self.untried + progress.plies}
        if trial is not None and trial.matches:
            search = trial.search or self.search
            tried = {"score": trial.score, "trial": trial.matches, "untried": 0, "search": search}
        return replace(
            self,
            plies=plies,
            matches=self.matches + progress.matches,
            seconds=self.seconds + progress.seconds,
            curve=tuple(_thinned([*self.curve, *curve])),
            **tried,
        )


def _thinned(curve: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return no more points than are kept, the last one among them."""
    while len(curve) > _POINTS:
        curve = curve[(len(curve) + 1) % 2 :: 2]
    return curve


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """A network, the rules of its game, and how it came about."""

    net: ValueNet
    rules: str
    learned: Learned

    def to_bytes(self) -> bytes:
        """Return the content of a file."""
        parts = {each.name: getattr(self.net, each.name) for each in fields(self.net)}
        file = io.BytesIO()
        np.savez(file, **parts, rules=self.rules, learned=json.dumps(asdict(self.learned)))
        return file.getvalue()

    @classmethod
    def load(cls, path: Path) -> Knowledge:
        """Read a file.

        Raises:
            GgpError: it cannot be read, or is no such file.
        """
        net = ValueNet.load(path)
        try:
            content = io.BytesIO(read_file(path, most=_MAX_BYTES))
            with np.load(content, allow_pickle=False) as file:
                about: dict[str, Any] = json.loads(str(file["learned"]))
                if about.get("search") == "bestfirst":  # an older file; alpha-beta plays now
                    about["search"] = "alphabeta"
                about["curve"] = tuple((int(x), float(y)) for x, y in about["curve"])
                return cls(net, str(file["rules"]), Learned(**about))
        except OSError as error:
            raise GgpError(f"{path}: {error.strerror or error}") from None
        except (KeyError, TypeError, ValueError):
            raise GgpError(f"{path}: the network is not one of the store") from None

    def of(self, description: Description, *, time_limit: float) -> Knowledge | None:
        """Return this in the words of another rulesheet of the game; None if it is of another."""
        if self.rules == description.source.text:
            return self
        before = Description.from_text(self.rules)
        names = correspondence(before, description, time_limit=time_limit)
        if names is None:
            return None
        net = self.net
        facts = tuple(str(renamed(parse_term(fact), names)) for fact in net.facts)
        roles = [names.get(role, role) for role in net.roles]
        order = [roles.index(str(role)) for role in description.roles]
        moved = replace(
            net,
            roles=tuple(roles[place] for place in order),
            facts=facts,
            outputs=net.outputs[order],
            output_bias=net.output_bias[order],
        )
        return replace(self, net=moved, rules=description.source.text)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a store."""

    key: str
    path: Path
    bytes: int
    #: When it was last used, in seconds since 1970.
    used: float


class Store:
    """A folder of networks. It is made with the first one."""

    def __init__(self, folder: Path | None = None, *, limit: int = DEFAULT_LIMIT) -> None:
        """Use a folder, the default one if it is None; `limit` is in bytes."""
        self.folder = default_folder() if folder is None else folder
        self.limit = limit

    def entries(self) -> Iterator[Entry]:
        """Yield what there is, in the order of the keys."""
        with suppress(OSError):
            for path in sorted(self.folder.glob(f"*{_SUFFIX}")):
                with suppress(OSError):
                    status = path.stat()
                    yield Entry(path.stem, path, status.st_size, status.st_mtime)

    def find(self, description: Description, *, time_limit: float = 5.0) -> Knowledge | None:
        """Return the knowledge of a game, in the words of this rulesheet.

        What cannot be read counts as missing, and a warning is logged.

        Args:
            description: the rules.
            time_limit: seconds that each of two steps may take: to find the file, and the words.
        """
        if not any(self.entries()):
            return None
        key = game_key(description, time_limit=time_limit)
        path = None if key is None else self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            known = Knowledge.load(path).of(description, time_limit=time_limit)
        except GgpError as error:
            _log.warning("what was learned of the game is not used: %s", error)
            return None
        with suppress(OSError):
            os.utime(path)
        return known

    def keep(self, description: Description, knowledge: Knowledge) -> Path | None:
        """Keep what was learned of a game in the place of what was there.

        A warning is logged if the folder cannot be written.

        Returns:
            The file; None if it could not be written, or the rules are too large for a key.
        """
        key = game_key(description)
        if key is None:
            return None
        path = self._path(key)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, knowledge.to_bytes())
        except OSError as error:
            _log.warning("what was learned is not kept: %s: %s", error.filename, error.strerror)
            return None
        self._trim(path)
        return path

    def remove(self, key: str) -> bool:
        """Remove a file; return whether there was one. Raises `OSError`."""
        try:
            self._path(key).unlink()
        except FileNotFoundError:
            return False
        return True

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _trim(self, newest: Path) -> None:
        """Remove what was used least recently."""
        entries = sorted(self.entries(), key=lambda entry: entry.used)
        total = sum(entry.bytes for entry in entries)
        with suppress(OSError):
            for entry in entries:
                if total <= self.limit:
                    break
                if entry.path != newest:
                    entry.path.unlink(missing_ok=True)
                    total -= entry.bytes

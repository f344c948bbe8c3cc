"""The smallest change of a rulesheet after which a play no longer refutes a claim.

The changes are tried against the play, then in random plays, all at once. The likeliest of those
after which no fault shows are proved like any other game, in a limited time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerError
from ggp.gdl import Description
from ggp.prove.claims import Place
from ggp.prove.question import Question, Repair, Verdict
from ggp.prove.repair.changes import Change, small_changes
from ggp.prove.repair.variants import Behaviour, Healed, Variants
from ggp.reasoner import JointMove

__all__ = ["Healing", "Repairs"]

# Changes that are compiled into one machine, and the seconds for that.
_AT_ONCE, _COMPILING = 128, 4.0
# The most changes that are proved for a fault.
_PROVED = 4


@dataclass(frozen=True, slots=True)
class Healing:
    """A change after which a play does not refute a claim, and no random play shows a fault."""

    change: Change
    behaviour: Behaviour
    #: What becomes of the play that refuted the claim.
    healed: Healed
    #: The share of the states of random plays in which the change matters.
    difference: float


class Repairs:
    """The small changes of a game."""

    def __init__(
        self,
        description: Description,
        *,
        places: Sequence[Place],
        prove: Callable[[Description], Iterable[Verdict]],
    ) -> None:
        """Prepare the search.

        Args:
            description: the rules.
            places: what has a content.
            prove: answers the questions about a changed game.
        """
        self._description, self._places = description, places
        self._prove = prove
        self._changes: list[list[Change]] | None = None
        self._variants: dict[int, Variants | None] = {}
        self._behaviours: dict[Change, Behaviour] = {}
        #: What plays show of the game as it was written.
        self._before: Behaviour | None = None
        self._proofs: dict[Change, bool | None] = {}

    def healing(
        self,
        question: Question,
        play: Sequence[JointMove],
        *,
        suspects: Sequence[int],
        deadline: Deadline,
    ) -> list[Healing]:
        """Return changes that heal a fault as far as plays tell, the likeliest first.

        Args:
            question: a claim.
            play: joint moves that refute it.
            suspects: statements that are tried before the others, by their numbers.
            deadline: what is not tried until then is left out.
        """
        found: list[Healing] = []
        for variants in self._parts(suspects, deadline):
            plays = variants.healed(question, play)
            new = [number for number in plays if variants.changes[number] not in self._behaviours]
            played = variants.played(new, deadline=deadline)
            self._behaviours |= {
                variants.changes[number]: behaviour
                for number, behaviour in zip(new, played, strict=True)
            }
            if self._before is None:
                self._before = variants.as_written(deadline=deadline)
            before = replace(self._before, steps=max(self._before.steps, len(play)))
            sound = [
                number
                for number in plays
                if (behaviour := self._behaviours[variants.changes[number]]).is_sound
                and not behaviour.is_poorer_than(before)
            ]
            matter = variants.differences(sound, deadline=deadline)
            for number, difference in zip(sound, matter, strict=True):
                change = variants.changes[number]
                behaviour = self._behaviours[change]
                found.append(Healing(change, behaviour, plays[number], difference))
        return sorted(found, key=_unlikeliness)

    def proved(
        self, found: Iterable[Healing], *, doubts: Collection[Question], deadline: Deadline
    ) -> Repair | None:
        """Return the first of some changes after which nothing is refuted; None if there is none.

        Args:
            found: the changes.
            doubts: questions of which the answers are doubted before a change. One after which
                there are others does not heal: a role cannot win, or plays are hardly any.
            deadline: when to stop.
        """
        for healing in list(found)[:_PROVED]:
            change = healing.change
            if change not in self._proofs:
                if deadline.is_over:
                    return None
                self._proofs[change] = self._is_proved(change, doubts)
            is_proved = self._proofs[change]
            if is_proved is not None:
                return Repair(change.number, change.what, str(change.statement), is_proved)
        return None

    def _is_proved(self, change: Change, doubts: Collection[Question]) -> bool | None:
        """Return whether all that should hold does after a change; None if some of it does not."""
        try:
            verdicts = []
            for verdict in self._prove(change.made_in(self._description)):
                if verdict.is_fault or (verdict.doubt and verdict.question not in doubts):
                    return None
                verdicts.append(verdict)
        except (ReasonerError, GameError):
            return None
        return all(v.verdict == "proved" for v in verdicts if v.question.expected)

    def _parts(self, suspects: Sequence[int], deadline: Deadline) -> Iterator[Variants]:
        """Yield the changes in parts, those of suspects first."""
        if self._changes is None:
            terms = range(len(self._description.terms))
            self._changes = []
            for numbers in (suspects, set(terms).difference(suspects)):
                changes = small_changes(self._description, statements=numbers)
                starts = range(0, len(changes), _AT_ONCE)
                self._changes += [changes[start : start + _AT_ONCE] for start in starts]
        for part, changes in enumerate(self._changes):
            if part not in self._variants and not deadline.is_over:
                self._variants[part] = self._compiled(changes)
            # To make a play again takes little time where that has been compiled for another one.
            variants = self._variants.get(part)
            if variants is not None:
                yield variants

    def _compiled(self, changes: Sequence[Change]) -> Variants | None:
        try:
            return Variants(self._description, changes, places=self._places, time_limit=_COMPILING)
        except ReasonerError:
            return None


def _unlikeliness(healing: Healing) -> tuple[float, ...]:
    """Return what puts the likeliest first.

    A change is less likely if no role can win after it, or if it ends the play before the fault.
    """
    won = sum(question.name == "winnable" for question in healing.behaviour.shown)
    healed = healing.healed
    return (-won, not healed.is_whole, healing.change.cost, healing.difference, -healed.step)

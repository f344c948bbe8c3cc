"""Max-n: each role maximises its own goal, and none is the opponent of another.

The value of a state is a vector with one goal for each role. The role that moves takes the child
whose vector is best for it; of equally good children the first, in the order of the moves.
(Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", 1986.)

Where several roles have a choice at once they choose one after the other, the searching role first
and then in role order, and each knows the choices made before. A role with one move chooses
nothing. Chance moves last, and the vector is the mean. A role has the same preferences in goals as
in ranks; the vectors hold goals because means and estimates are made of goals.

`MaxN.choose` is the kernel of every max-n pruning: the rules of `ggp.search.prunings` differ only
in the bounds that they hand down. Its contract:

- A choice is searched with lower bounds: a value is *inside* if every role gets more than its
  bound. The kernel returns the value of the choice; or, if no value that the choice can have is
  inside, a `PrunedValue`: then nothing below the choice can matter above.
- A pruned child is kept in mind, for its value may be the one that is taken. All that is known of
  it is that it is not inside some bounds. The choice as a whole is therefore pruned only if the
  best value so far is not inside, either; otherwise the pruned children that might be preferred are
  searched again, bounded only by what the chooser holds.
- Once the best value is inside, the choice will most likely be returned and not pruned: from then
  on its children are searched with the chooser's bound only.

`ggp.engine.maxn.choices` is the same kernel in compiled code, and `ggp.engine.maxn.loop` the rest.

The root is searched without bounds: its value, move and variation are always those of plain max-n.

**Order and counts.** Children are searched in the order of their moves. After each but the last the
classifier is asked whether anything better than the best can follow, first with the chooser's bound
alone (*immediate*), then with all bounds. After the last child, or after an immediate cut, the
pruned children that might be preferred are searched again in their order, until one of them is
preferred. The table and the filter of possible rows are asked before a state is expanded; such a
state does not count as expanded. A forced joint move is no choice, and hands all bounds down as
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from math import inf, prod
from operator import or_
from typing import ClassVar, NamedTuple, TypeAlias

from ggp.gdl import GoalVector
from ggp.graph import GameGraph, NodeExpansion
from ggp.kif import Term
from ggp.search.classifiers import (
    LowerBounds,
    MeanTest,
    Number,
    Path,
    PrunedValue,
    Rows,
    Vector,
    decisive,
    is_inside,
    leaf_test,
    lower_bounds,
    mean_test,
)
from ggp.search.leaf_values import CLASSIFIERS, Classifier, Possible, RowFilter
from ggp.search.options import SearchOptions
from ggp.search.result import ValueVector
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Entry, Found
from ggp.search.turns import joint_move, terms

__all__ = ["JointChoice", "MaxN", "MaxNOptions", "Value"]

#: What a search says of a node.
Value: TypeAlias = Vector | PrunedValue

#: Less than any difference between two values: `at least x` is `more than x - _TINY`.
_TINY = Fraction(1, 10**300)


class JointChoice(NamedTuple):
    """A state in which the roles choose."""

    expansion: NodeExpansion
    #: For each role, what each of its moves adds to the number of the joint move.
    parts: Sequence[range]
    #: The rows that leaves below can have.
    possible: Rows
    #: How many joint moves to look ahead from its children.
    remaining: float


@dataclass(frozen=True, kw_only=True)
class MaxNOptions(SearchOptions):
    """The options of max-n and its prunings."""

    #: How closely to ask which rows of the table are still possible below a state.
    row_filter: RowFilter = "exact"
    #: Whether the linear test relies on ranks being whole numbers.
    discrete: bool = False

    classifiers = CLASSIFIERS

    def resolve(self, graph: GameGraph, algorithm: str) -> SearchSettings:
        """Return the settings of a search of a graph, see `SearchOptions.resolve`."""
        settings = super().resolve(graph, algorithm)
        row_filter = self.row_filter if settings.leaf_values.is_enumerated else None
        return replace(settings, row_filter=row_filter, discrete=self.discrete)


class MaxN(Search[Value]):
    """The value of a state for all roles, each of which maximises its own goal.

    Without a classifier nothing is skipped. With one a role stops at the best that it can get
    (*immediate* pruning): that needs no bound but its own.

    **Depth limits and chance.** An estimate or a mean is no row of the leaf-value table. Where
    there can be one, in a search with a depth limit or a game with `random`, the convex hull of the
    rows decides in place of the table, and the linear test is one of goals. For both to be right
    estimates are scaled down where they promise more than any mean of the leaves that are possible.
    What follows a move of `random` is searched without bounds.

    **Games that need not end.** A play without end gives every role 0. What rests on it depends
    on the path, and is not `exact`; without a table all rules find the same even then.
    """

    algorithm = "maxn"
    options = MaxNOptions

    #: The classifiers for which the rule asks what is still possible below a state.
    filtered: ClassVar[frozenset[Classifier]] = frozenset()
    #: What a role holds before its first child is resolved.
    nothing: ClassVar[Number] = -inf

    def prepare(self) -> None:
        """Make the tests of what can be inside some bounds."""
        classifier, discrete = self.settings.classifier, self.settings.discrete
        self._leaf_test = leaf_test(self.leaf_values, classifier, discrete=discrete)
        self._mean_test = mean_test(self.leaf_values, classifier)
        self._estimates = MeanTest(self.leaf_values, ())
        #: Which rows are possible below a state with these facts; None if that is not asked.
        self.filter: Callable[[Iterable[Term]], Rows] | None = None
        if self.settings.row_filter is not None and classifier in self.filtered:
            self.filter = Possible(self.leaf_values, row_filter=self.settings.row_filter)
        #: The same for estimates, which must not depend on the rule; None if nothing is known.
        self.estimates_filter: Callable[[Iterable[Term]], Rows] | None
        self.estimates_filter = Possible.exact(self.leaf_values)
        #: The test of whether a value can be inside some bounds.
        self.test = self._leaf_test
        self._is_at_leaves = False

    # What a rule defines

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:  # noqa: ARG002
        """Return the bounds with which a child is searched: here none.

        Args:
            path: the bounds with which the node is searched.
            own: who chooses here, and what it holds.
            inside: whether that value is inside the bounds of the path.
            last: whether it is the last child.
        """
        return ()

    # What `Search` asks for

    def explore(self, root: int, remaining: float) -> Found[Value]:
        """Search the root."""
        self._is_at_leaves = self.settings.asks_leaves(is_endless=remaining == inf)
        self.test = self._leaf_test if self._is_at_leaves else self._mean_test
        return self.score(root, remaining, ())

    @property
    def classifier(self) -> Classifier:
        """The classifier that decides in the present search: at a horizon not the table."""
        return decisive(self.leaf_values, self.settings.classifier, at_leaves=self._is_at_leaves)

    def utility(self, goals: GoalVector) -> Vector:
        """Return the goals, 0 for a missing one."""
        return tuple(goal or 0 for goal in goals)

    def estimate(self, node: int) -> Vector:
        """Return what the evaluation says for each role, but no more than leaves below can pay.

        A search to the end meets this only where a line is too long for it: there, every role
        gets 0.
        """
        roles = range(len(self.graph.roles))
        if self._is_at_leaves:
            return (0,) * len(roles)
        vector = tuple(self.evaluate(node, role) for role in roles)
        return self._estimates.moved(vector, self._possible(node, self.estimates_filter))

    def goals_of(self, value: Value) -> ValueVector:
        """Return the vector."""
        return tuple(map(float, _resolved(value)))

    # The search

    def score(self, node: int, remaining: float, path: Path) -> Found[Value]:
        """Return the value of a node, or that it is not inside the bounds of the path."""
        if (found := self.leaf(node, remaining)) is not None:
            return found
        bounds = self.bounds(path)
        entry = self.probe(node, remaining)
        if entry is not None and (
            not isinstance(entry.found.value, PrunedValue)
            or self.test.excludes(entry.found.value, bounds)
        ):
            return self.answered(entry)
        possible = self.possible(node)
        if self.is_outside(possible, path):
            legal = self.graph.expansion(node).legal
            rule, skipped = self._rule(possible, path), prod(map(len, legal))
            self.prune(rule, skipped=skipped, held=bounds, possible=possible)
            return self.tell(Found(PrunedValue(possible, bounds), proven=True), "cut")
        with self.expanding(node) as expansion:
            joint = JointChoice(expansion, terms(expansion.legal), possible, remaining - 1)
            choosers = [role for role in self.choosers if len(joint.parts[role]) > 1]
            found = self.choose(joint, choosers, 0, path)
        return self.store(node, Entry(found, remaining))

    def choose(
        self, joint: JointChoice, choosers: Sequence[int], chosen: int, path: Path
    ) -> Found[Value]:
        """Return the best for the first of the choosers, the others choosing after it.

        `chosen` is the part of the joint move's number that is settled.
        """
        if not choosers:
            return self.expected(joint, chosen, path)
        chooser, *others = choosers
        options, bounds = joint.parts[chooser], self.bounds(path)
        best: Found[Value] | None = None
        best_option, held, inside, all_proven = 0, self.nothing, False, True
        pruned: dict[int, PrunedValue] = {}

        for option in options:
            is_last = option == options[-1]
            handed = self.handed(path, (chooser, held), inside=inside, last=is_last)
            found = self.choose(joint, others, chosen + option, handed)
            all_proven = all_proven and found.proven
            if isinstance(found.value, PrunedValue):
                pruned[option] = found.value
            elif found.value[chooser] > held:
                best, best_option, held = found, option, found.value[chooser]
                inside = is_inside(found.value, bounds)
                self.hold(chooser, held)
                if chooser == self.role:
                    self.improve(best)
            if is_last:
                break
            own = self.bounds(((chooser, held),))
            better = self.test.within(joint.possible, own)
            skipped = (len(options) - 1 - options.index(option)) * self._each(joint, others)
            if not better:
                self.prune("immediate", skipped=skipped, held=own, possible=joint.possible)
                break
            if best is not None and self.is_cut(joint, (*path, (chooser, held)), inside=inside):
                rule = self._rule(joint.possible, path, (chooser, held))
                floors = self.bounds((*path, (chooser, held)))
                self.prune(rule, skipped=skipped, held=floors, possible=joint.possible)
                rivals = self.rivals(pruned, chooser, held, best_option)
                return self.pruned(best, better | _union(rivals), bounds, proven=all_proven)

        if best is None:
            return self.pruned(best, _union(pruned), bounds, proven=all_proven)
        rivals = self.rivals(pruned, chooser, held, best_option)
        if rivals and not inside:
            return self.pruned(best, _union(rivals), bounds, proven=all_proven)
        for option, rival in list(rivals.items()):
            with self.researching():
                floor = ((chooser, rival.bounds[chooser]),)
                found = self.choose(joint, others, chosen + option, floor)
            all_proven = all_proven and found.proven
            if not self.test.excludes(found.value, rival.bounds):
                return self.pruned(None, _union(rivals), bounds, proven=all_proven)
            del rivals[option]
        return best._replace(proven=all_proven)

    def expected(self, joint: JointChoice, chosen: int, path: Path) -> Found[Value]:
        """Return what follows the choices of all: the mean over what chance may do."""
        children = [joint.expansion.children[chosen + part] for part in self._chance_moves(joint)]
        if len(children) == 1:
            found = self.score(children[0], joint.remaining, path)
            if isinstance(found.value, PrunedValue):
                return found
        else:
            outcomes = [self.score(child, joint.remaining, ()) for child in children]
            vectors = zip(*(_resolved(outcome.value) for outcome in outcomes), strict=True)
            means = tuple(sum(map(Fraction, values)) / len(outcomes) for values in vectors)
            found = Found(means, all(outcome.proven for outcome in outcomes))
        return found.after(joint_move(joint.expansion.legal, chosen))

    # What the kernel asks

    def bounds(self, path: Path) -> LowerBounds:
        """Return the lower bounds of a path: for each role the highest that it holds."""
        return lower_bounds(path, len(self.graph.roles))

    def is_outside(self, possible: Rows, path: Path) -> bool:
        """Return whether no row that is possible below a node is inside the bounds of its path.

        Then the node need not be expanded. Without bounds, it must be.
        """
        return bool(path) and not self.test.within(possible, self.bounds(path))

    def is_cut(self, joint: JointChoice, path: Path, *, inside: bool) -> bool:
        """Return whether nothing that can still become of a choice is inside the bounds.

        The path ends with the bound of the role that chooses. The best value so far must not be
        inside, either. (The test of Figure 9 in Sturtevant, "Leaf-value tables for pruning
        non-zero-sum games", IJCAI 2005; that alone, without the best value, is unsound.)
        """
        return not inside and not self.test.within(joint.possible, self.bounds(path))

    def rivals(
        self, pruned: Mapping[int, PrunedValue], chooser: int, held: Number, best_option: int
    ) -> dict[int, PrunedValue]:
        """Return the pruned children that the chooser may prefer to the best.

        It prefers what gives it more, and, left of the best, what gives it as much. Each comes with
        the bounds of what would be preferred, and the rows of the child inside them.
        """
        found = {}
        for option, value in pruned.items():
            floor = held if option > best_option else Fraction(held) - _TINY
            preferred = self.bounds(((chooser, floor),))
            if not self.test.excludes(value, preferred):
                found[option] = PrunedValue(self.test.within(value.rows, preferred), preferred)
        return found

    def pruned(
        self, best: Found[Value] | None, others: Rows, bounds: LowerBounds, *, proven: bool
    ) -> Found[Value]:
        """Return that a choice has one of these rows, none of them inside the bounds."""
        rows = others if best is None else others | self.test.row(_resolved(best.value))
        return Found(PrunedValue(rows, bounds), proven)

    def possible(self, node: int) -> Rows:
        """Return the rows that leaves below the node can have, as far as the rule asks.

        Where there are estimates it asks as closely as they were made.
        """
        if self.filter is None:
            return self.test.everything
        return self._possible(node, self.filter if self._is_at_leaves else self.estimates_filter)

    def _possible(self, node: int, asked: Callable[[Iterable[Term]], Rows] | None) -> Rows:
        return self.test.everything if asked is None else asked(self.graph.facts(node))

    @cached_property
    def choosers(self) -> tuple[int, ...]:
        """The roles in the order in which they choose."""
        return self.settings.choosers

    # Counting

    def _rule(self, possible: Rows, path: Path, *own: tuple[int, Number]) -> str:
        """Return the simplest rule that cuts here."""
        parent = self.bounds((*path[-1:], *own))
        if not self.test.within(self.test.everything, parent):
            return "shallow"
        return self.algorithm if self.test.within(possible, parent) else "branch-and-bound"

    def _each(self, joint: JointChoice, others: Sequence[int]) -> int:
        """Return how many joint moves there are for each option of a chooser."""
        return prod(len(joint.parts[role]) for role in others) * len(self._chance_moves(joint))

    def _chance_moves(self, joint: JointChoice) -> range:
        return range(1) if self.chance is None else joint.parts[self.chance]


def _resolved(value: Value) -> Vector:
    """Return a value that is known to be exact: it was searched without bounds."""
    if isinstance(value, PrunedValue):
        raise AssertionError("a search without bounds prunes nothing")
    return value


def _union(known: Mapping[int, PrunedValue]) -> Rows:
    return reduce(or_, (value.rows for value in known.values()), 0)

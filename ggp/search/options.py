"""What a search is asked for, before it knows the game; `resolve` fills in the defaults for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Self, TypeVar

from ggp.graph import GameGraph
from ggp.kif import Symbol
from ggp.search.evaluation import Estimator
from ggp.search.leaf_values import CLASSIFIERS, Classifier, LeafValueTable
from ggp.search.settings import SearchSettings

__all__ = ["SearchOptions"]

_Options = TypeVar("_Options", bound="SearchOptions")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of every search; an algorithm that takes more has a subclass with more fields.

    Raises:
        ValueError: the algorithm does not take the classifier, or an option is out of its range.
    """

    #: The number of the role to search for; None for the first that is not `random`.
    role: int | None = None
    #: What decides that nothing better than what was found can follow.
    classifier: Classifier = "lvt"
    #: What the classifier knows; None for the table of level 1.
    leaf_values: LeafValueTable | None = None
    #: What a state is worth that the search does not look beyond; None for what the algorithm says.
    evaluation: Estimator | None = None

    #: The classifiers that the algorithm takes: the hull compares what several roles hold.
    classifiers: ClassVar[tuple[Classifier, ...]] = tuple(
        each for each in CLASSIFIERS if each != "hull"
    )

    def __post_init__(self) -> None:
        if self.classifier not in self.classifiers:
            among = ", ".join(self.classifiers)
            raise ValueError(f"the classifier is one of {among}, and not {self.classifier!r}")

    def check(self, roles: Sequence[Symbol]) -> None:
        """Raise `ValueError` if the algorithm cannot search a game with these roles."""

    def resolve(self, graph: GameGraph, algorithm: str) -> SearchSettings:
        """Return the settings of a search of a graph by an algorithm.

        Raises:
            ValueError: there is no such role, or it is `random`, which has no goal; or as `check`.
        """
        self.check(graph.roles)
        return SearchSettings.of(
            graph,
            algorithm=algorithm,
            role=self.role,
            classifier=self.classifier,
            leaf_values=self.leaf_values,
            evaluation=self.evaluation,
        )

    def shared_with(self, kind: type[_Options]) -> _Options:
        """Return the options for another algorithm: those of these that it takes, too."""
        names = {each.name for each in fields(kind)}
        return kind(**{name: value for name, value in vars(self).items() if name in names})

    @classmethod
    def of(cls, options: SearchOptions | None) -> Self:
        """Return options as these ones: None for the defaults; fewer options for some of these.

        Raises:
            ValueError: they are of another algorithm.
        """
        if options is None or isinstance(options, cls):
            return cls() if options is None else options
        if issubclass(cls, type(options)):
            return options.shared_with(cls)
        raise ValueError(f"the search takes {cls.__name__}, not {type(options).__name__}")

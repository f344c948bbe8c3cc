"""Sums of products as `Aig` would build them: the model of what compiled code builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE, TRUE

__all__ = ["Model"]


class Model(Aig):
    """A graph in Python."""

    def sum_of_products(self, products: Iterable[Sequence[int]]) -> int:
        """Return the literal of the OR of ANDs, common factors taken out."""
        return self._sum({self._simplified(product) for product in products})

    def _simplified(self, product: Sequence[int]) -> tuple[int, ...]:
        """Return the product sorted; ``(FALSE,)`` where it cannot hold."""
        factors = sorted(set(product))
        if factors and factors[0] <= TRUE:
            if factors[0] == FALSE:
                return (FALSE,)
            del factors[0]
        for one, other in pairwise(factors):
            if one ^ other == 1 and not one & 1:
                return (FALSE,)
        return tuple(factors)

    def _sum(self, products: set[tuple[int, ...]]) -> int:
        products.discard((FALSE,))
        if () in products:
            return TRUE
        if len(products) <= 1:
            return self.conjunction(products.pop()) if products else FALSE
        times = Counter(factor for product in products for factor in product)
        groups: dict[int, set[tuple[int, ...]]] = {}
        terms: list[int] = []
        for product in sorted(products):
            if len(product) == 1:
                terms.append(product[0])
                continue
            # The most frequent factor; facts come before moves, and gates last.
            factor = min(product, key=lambda f: (-times[f], f))
            groups.setdefault(factor, set()).add(product)
        for factor in sorted(groups):
            group = groups[factor]
            if len(group) == 1:
                terms.append(self.conjunction(group.pop()))
                continue
            rest = {tuple(f for f in product if f != factor) for product in group}
            terms.append(self.both(factor, self._sum(rest)))
        return self.disjunction(terms)

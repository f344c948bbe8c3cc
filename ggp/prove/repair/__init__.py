"""Changes of a rulesheet that heal a fault.

`changes` makes them, `variants` plays all of them at once, and `repair` chooses among those that
heal, and proves the likeliest.
"""

from __future__ import annotations

from ggp.prove.repair.repair import Healing, Repairs

__all__ = ["Healing", "Repairs"]

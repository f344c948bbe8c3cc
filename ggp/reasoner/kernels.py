"""What viewing, stepping and playing out games needs of numba."""

from __future__ import annotations

from ggp.native.kernels import KernelSet

__all__ = ["REASONER_KERNELS"]

#: The functions that `ggp.compiler` calls, whatever the game.
REASONER_KERNELS = KernelSet("reasoner", "ggp.reasoner.compiled")

"""A player that asks a language model over HTTP."""

from ggp.players.llm.player import Llm

__all__ = ["Llm"]

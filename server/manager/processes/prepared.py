"""What the processes of a manager load, loaded once for all of them, in a fork server."""

from __future__ import annotations

from importlib import import_module

from ggp.match.worker import prepare as prepare_players

__all__ = ["prepare"]


def prepare() -> None:
    """Load what guides, analysts, referees and the players of their matches need."""
    prepare_players()
    for name in ("guide", "analyst", "match_worker"):
        import_module(f"ggp.server.manager.processes.{name}")
    import_module("ggp.server.manager.playing.level")

"""Tools for authors of rulesheets: one layout, a game to begin from, regression tests."""

from ggp.authoring.format import format_rules

__all__ = ["format_rules"]

"""Tools for authors of rulesheets: one layout, a game to begin from, regression tests.

`ggp.authoring.lsp` is the language server that editors talk to.
"""

from ggp.authoring.format import format_rules

__all__ = ["format_rules"]

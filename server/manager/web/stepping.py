"""The page that steps through a search, and the JSON that its script requests."""

from __future__ import annotations

from functools import cache

from flask import Flask, Response, jsonify, render_template, request

from ggp.gdl.bundled import bundled_trees
from ggp.search import CLASSIFIERS
from ggp.search.tree.stepping import STEPPED
from ggp.server.manager.drafts import MAX_DRAFT
from ggp.server.manager.manager import Manager
from ggp.server.manager.web.finding import Finder, refuse
from ggp.server.manager.web.told import told_json

__all__ = ["add_stepping"]

#: Seconds that the table and the search may take. A tree takes milliseconds on an idle machine.
_SECONDS = 60.0
#: No drawn search looks as far ahead.
_MAX_DEPTH = 300


@cache
def _trees() -> dict[str, str]:
    """Return the texts of the bundled trees, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in bundled_trees()}


def add_stepping(app: Flask, manager: Manager) -> None:
    """Add the routes of the page to an application."""
    find = Finder(manager)

    @app.get("/step")
    def step_page() -> str:
        chosen = request.args.get("game")
        game = None if chosen is None else find.game(chosen)
        return render_template(
            "step.html",
            game=game,
            trees=_trees(),
            algorithms=list(STEPPED),
            classifiers=CLASSIFIERS,
            max_draft=MAX_DRAFT,
        )

    @app.post("/api/steps")
    def steps() -> Response:
        told = told_json()
        rules, depth = told.get("rules"), told.get("depth")
        algorithm, classifier = told.get("algorithm"), told.get("classifier", "lvt")
        if not isinstance(rules, str) or not rules.strip():
            refuse("write a tree or the rules of a game")
        if len(rules) > MAX_DRAFT:
            refuse(f"a tree or rules of up to {MAX_DRAFT:,} characters, not {len(rules):,}")
        if algorithm not in (None, *STEPPED) or classifier not in CLASSIFIERS:
            refuse("a search is stepped through by an algorithm and a classifier of the page")
        if depth is not None and (type(depth) is not int or not 0 < depth <= _MAX_DEPTH):
            refuse(f"a search looks 1 to {_MAX_DEPTH} joint moves ahead, or makes as many visits")
        analysis = manager.analyses.begin(
            {
                "kind": "step",
                "rules": rules,
                "seconds": _SECONDS,
                "algorithm": algorithm,
                "classifier": classifier,
                "depth": depth,
            }
        )
        return jsonify(id=analysis.id)

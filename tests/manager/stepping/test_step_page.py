"""The page that steps through a search: what it is told, and what a person sees in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.analyses import Analysis
from ggp.server.manager.processes.stepper import steps_of
from ggp.server.manager.web import stepping
from tests.manager.browser import Page, needs_browser

TREE = "maxsum=10 P1[(5,4,1) P2[(0,6,4) (?,?,?)]]"

SEEN = """
return [...document.querySelectorAll("#drawing g[data-node]:not(.ahead) > rect ~ text")]
  .map((text) => text.textContent).filter((text) => text)
"""

#: Counts the streams of events that the page follows.
FOLLOWED = """
window.followed = 0;
window.EventSource = class extends EventSource {
  constructor(url) { super(url); window.followed += 1; }
};
"""

SEARCH = """
const form = document.getElementById("search");
form.elements.rules.value = arguments[0];
form.requestSubmit();
"""


def task(rules: str, **options: Any) -> dict[str, Any]:
    chosen = {"algorithm": "shallow", "classifier": "lvt", "depth": None, "seconds": 60.0}
    return {"rules": rules, **chosen, **options}


def test_an_analyst_steps_through_a_tree() -> None:
    found = steps_of(task(TREE))
    assert found["steps"][-1]["text"] == "root: (5, 4, 1)"
    assert 'data-branch="2 1"' in found["drawing"]
    assert "<style" not in found["drawing"]  # the page forbids it
    assert found["maxsum"] == 10


def test_an_analyst_steps_through_a_game() -> None:
    rules = Path("games/centipede.kif").read_text()
    found = steps_of(task(rules, algorithm="speculative"))
    assert found["steps"][0]["node"] == 0
    assert len(found["roles"]) == 3


def test_an_analyst_steps_through_the_visits_of_a_tree_search() -> None:
    found = steps_of(task(TREE, algorithm="mcts", depth=5))
    assert "visit 1, 4 playouts" in found["steps"][0]["text"] or found["steps"][0]["node"] == 0
    assert found["steps"][-1]["kind"] == "value"


def test_the_page_has_the_trees_and_a_chosen_game(client: FlaskClient) -> None:
    page = client.get("/step").text
    assert "figure6" in page
    assert "maxsum=10" in page
    assert "(role" in client.get("/step?game=nim").text
    assert client.get("/step?game=none").status_code == 404


@pytest.mark.parametrize(
    "told",
    [
        {"rules": ""},
        {"rules": 5},
        {"rules": TREE, "algorithm": "planner"},
        {"rules": TREE, "classifier": "x"},
        {"rules": TREE, "depth": 0},
        {"rules": TREE, "depth": "3"},
        {"rules": "x" * 600_000},
    ],
)
def test_what_is_no_search_is_refused(client: FlaskClient, told: dict[str, Any]) -> None:
    assert client.post("/api/steps", json=told).status_code == 400


def searched(page: Page, name: str, algorithm: str, classifier: str = "lvt") -> None:
    page.open("/step")
    page.driver.execute_script(
        "const all = document.getElementById('trees');"
        "all.value = [...all.options].find(o => o.text.trim() === arguments[0]).value;"
        "all.dispatchEvent(new Event('change'))",
        name,
    )
    for field, value in (("algorithm", algorithm), ("classifier", classifier)):
        page.driver.execute_script(
            "document.getElementById('search').elements[arguments[0]].value = arguments[1]",
            field,
            value,
        )
    page.click("#search .primary")
    page.wait(lambda: "steps" in page.status())


def seen(page: Page) -> list[str]:
    """The labels and notes of the nodes that are shown."""
    return page.driver.execute_script(SEEN)  # type: ignore[no-any-return]


@pytest.mark.long
@needs_browser
def test_figures_3_4_and_6_are_stepped_through(page: Page, manager: Manager) -> None:
    searched(page, "figure4", "shallow")
    page.click("#next-cut")
    assert "5 + 6 \u2265 maxsum 10" in page.find("#text").text
    shown = seen(page)
    assert "P1 (\u22655, \u22645, \u22645)" in shown
    assert "(\u22644, \u22656, \u22644)" in shown
    assert "(5, 4, 1)" in shown
    page.click("#first")
    assert seen(page) == []

    searched(page, "figure6", "speculative", "sum")
    page.click("#next-cut")
    assert "bounds (5, 3, 3): 5 + 3 + 3 \u2265 maxsum 10" in page.find("#text").text

    searched(page, "figure3", "maxn", "none")
    page.click("#last")
    assert {"(1, 3, 5)", "(3, 5, 2)", "(6, 4, 0)"} <= set(seen(page))
    assert page.find("#shown-title").text == "maxn, without a classifier"
    page.click("#back")
    assert page.find("#place").text == "20 / 21"
    assert page.problems() == []


@pytest.mark.long
@needs_browser
def test_a_mistake_in_a_tree_is_told(page: Page, manager: Manager) -> None:
    page.open("/step")
    field = page.find("#search textarea")
    field.clear()
    field.send_keys("P1[(1,2) (3)]")
    page.click("#search .primary")
    page.wait(lambda: "1 goals" in page.status())
    assert not page.find("#shown").is_displayed()


def endless() -> str:
    """Return rules whose legal moves take hours to find: 14 different ones of 13 things."""
    chosen = [f"?x{number}" for number in range(14)]
    things = " ".join(f"(thing {number})" for number in range(13))
    each = " ".join(f"(thing {one})" for one in chosen)
    differ = " ".join(f"(distinct {one} {other})" for one, other in combinations(chosen, 2))
    return (
        f"(role x) (init start) {things} (<= (legal x go) {each} {differ})"
        " (<= (next end) (does x go)) (<= terminal (true end)) (goal x 100)"
    )


@pytest.mark.long
@needs_browser
def test_a_new_search_ends_the_one_before(
    page: Page, manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, begun = manager.analyses.begin, list[Analysis]()

    def recorded(task: Mapping[str, Any]) -> Analysis:
        begun.append(begin(task))
        return begun[-1]

    monkeypatch.setattr(stepping, "_SECONDS", 3600.0)
    monkeypatch.setattr(manager.analyses, "begin", recorded)
    page.open("/step")
    page.driver.execute_script(FOLLOWED)
    page.driver.execute_script(SEARCH, endless())
    page.wait(lambda: page.driver.execute_script("return window.followed"))
    page.driver.execute_script(SEARCH, TREE)
    page.wait(lambda: "steps" in page.status())
    first, second = begun
    page.wait(lambda: first.is_over)
    assert second.news(0, timeout=0)[0][0]["event"] == "progress"
    assert page.problems() == []

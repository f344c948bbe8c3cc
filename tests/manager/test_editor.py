"""What the editor page asks about rules that are being edited, without a browser."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient

from ggp.server.access.origins import Origins
from ggp.server.manager.drafts import MAX_DRAFT
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.guide import Guide
from ggp.server.manager.processes.questions import Check, WalkLine
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.drawn import GAMES
from tests.processes import all_gone, command_line, descendants, happens

PAGE = "00112233445566aa"
NIM = (GAMES / "nim.kif").read_text()
TAKE = {n: [f"(take {n})", "noop"] for n in (1, 2, 3)}
ANSWER = {n: ["noop", f"(take {n})"] for n in (1, 2, 3)}


def ask(client: FlaskClient, what: str, *, page: str = PAGE, **told: Any) -> dict[str, Any]:
    reply = client.post(f"/api/drafts/{page}/{what}", json=told)
    assert reply.status_code == 200, reply.text
    return dict(reply.get_json())


def line(client: FlaskClient, rules: str, *moves: list[str], step: int | None = None) -> Any:
    at = len(moves) if step is None else step
    return ask(client, "line", rules=rules, moves=list(moves), step=at)


def test_the_page_is_there_for_new_games_and_for_copies(client: FlaskClient) -> None:
    for path in ("/edit", "/edit?copy=nim"):
        reply = client.get(path)
        assert reply.status_code == 200
        assert not re.search(r"<script(?![^>]* src=)", reply.text)
        assert not re.search(r"""(?:src|href|action)=["'](?:\w+:)?//""", reply.text)
        assert "style=" not in reply.text
    assert client.get("/edit?copy=none").status_code == 404
    assert 'href="/edit"' in client.get("/").text
    for path in ("/", "/games/nim", "/games/nim/explore"):
        assert 'href="/edit?copy=nim"' in client.get(path).text


def test_a_name_that_would_be_markup_stays_a_name(client: FlaskClient) -> None:
    name = '"><script>alert(1)</script>'
    saved = client.post("/api/games", json={"name": name, "rules": NIM}).get_json()
    page = client.get(f"/edit?copy={saved['id']}")
    assert page.status_code == 200
    assert "<script>" not in page.text


def test_the_game_to_begin_with_has_no_findings_and_can_be_played(client: FlaskClient) -> None:
    assert 'data-blank="/edit/new.kif"' in client.get("/edit").text
    rules = client.get("/edit/new.kif").text
    assert ask(client, "check", rules=rules)["findings"] == []
    here = line(client, rules)["here"]
    assert not here["terminal"]
    moves = [legal[0]["move"] for legal in here["legal"]]
    assert line(client, rules, moves)["legal"] == 1


def test_findings_have_places_and_fixes(client: FlaskClient) -> None:
    (finding,) = ask(client, "check", rules=f"{NIM}\n(<= odd\n  (true (pile ?n)")["findings"]
    lines = NIM.count("\n")
    assert (finding["line"], finding["severity"], finding["code"]) == (lines + 3, "error", "syntax")
    assert "closing parenthes" in finding["hint"]
    assert ask(client, "check", rules=NIM)["errors"] == 0


def test_a_line_of_moves_is_replayed_and_any_step_shown(client: FlaskClient) -> None:
    moves = [TAKE[1], ANSWER[3], TAKE[2]]
    end = line(client, NIM, *moves)
    assert (end["legal"], end["reason"], end["step"]) == (3, None, 3)
    assert (end["here"]["terminal"], end["here"]["goals"]) == (True, [0, 100])
    assert end["labels"] == ["(take 1)", "(take 3)", "(take 2)"]
    middle = line(client, NIM, *moves, step=1)
    assert "(pile 5)" in middle["here"]["facts"]
    assert [len(legal) for legal in middle["here"]["legal"]] == [1, 3]
    assert middle["before"]["table"] != middle["here"]["scene"]["table"]
    assert line(client, NIM, *moves, step=0)["before"] is None


def test_after_an_edit_the_line_is_legal_as_far_as_it_goes(client: FlaskClient) -> None:
    smaller = NIM.replace("(init (pile 6))", "(init (pile 4))")
    found = line(client, smaller, TAKE[1], ANSWER[2], TAKE[3])
    assert (found["legal"], found["step"]) == (2, 2)
    assert found["reason"] == "first may not do (take 3)"
    found = line(client, smaller, TAKE[3], ANSWER[1], TAKE[1])
    assert (found["legal"], found["reason"]) == (2, "the game is over")
    renamed = smaller.replace("take", "remove")
    found = line(client, renamed, TAKE[1])
    assert (found["legal"], found["step"]) == (0, 0)
    assert "may not do" in found["reason"]


def test_a_game_with_errors_has_roles_if_a_reasoner_can_take_it() -> None:
    odd = NIM.replace("(init (pile 6))", "(init (pile 6)) (pile 6 7) (Pile 6 7)")
    found = Guide(odd).answer(Check())
    assert (found["errors"] > 0, len(found["roles"])) == (True, 2)
    for fault in ("(<= (true (pile 6)) (true (pile 5)))", "(role (p 1))", "(not p)", "("):
        found = Guide(NIM + fault).answer(Check())
        assert (found["errors"] > 0, found["roles"]) == (True, [])
    found = Guide(f"({NIM})").answer(Check())
    assert (found["errors"], len(found["roles"])) == (0, 2)


def test_rules_that_mean_the_same_keep_their_reasoner() -> None:
    guide = Guide(NIM)
    guide.answer(WalkLine([TAKE[1]], 1))
    known = guide._reasoner
    with_comment = guide.revised(f"; a comment\n{NIM}")
    assert with_comment._reasoner is known
    broken = with_comment.revised("(")
    assert broken.answer(Check())["errors"] == 1
    other = broken.revised(NIM.replace("(init (pile 6))", "(init (pile 2))"))
    found = other.answer(WalkLine([TAKE[2]], 1))
    assert found["here"]["terminal"]
    other.reopen()


def test_a_role_without_a_move_is_shown_and_not_an_error(client: FlaskClient) -> None:
    stuck = NIM.replace(
        "(minus ?m ?k ?n))\n(<= (legal ?player noop)", "(minus ?m ?k 9))\n(<= (legal ?player noop)"
    )
    found = line(client, stuck)
    assert found["here"]["legal"] == [[], [{"move": "noop", "clicks": []}]]
    assert not found["here"]["terminal"]


def test_formatting_keeps_the_meaning_and_comments(client: FlaskClient) -> None:
    rules = "(role  me ) ; alone\n(<= terminal (true (step 3)) (not open))"
    formatted = "(role me) ; alone\n(<= terminal\n    (true (step 3))\n    (not open))\n"
    assert ask(client, "format", rules=rules) == {"rules": formatted}
    reply = client.post(f"/api/drafts/{PAGE}/format", json={"rules": "(role"})
    assert reply.status_code == 409
    assert "never closed" in reply.get_json()["error"]


def proofs(manager: Manager, client: FlaskClient, **told: Any) -> list[dict[str, Any]]:
    """Prove, and return the last messages of the analyst."""
    analysis = manager.analyses.find(ask(client, "proofs", **told)["id"])
    assert analysis is not None
    news: list[dict[str, Any]] = []
    known, is_over = 0, False
    while not is_over:
        found, known, is_over = analysis.news(known, timeout=90)
        news = found or news
    return news


@pytest.mark.long
def test_claims_are_proved_or_refuted_by_a_line(client: FlaskClient, shared: Manager) -> None:
    never = "(and (true (pile 5)) (true (control second)))"
    news = proofs(shared, client, rules=NIM, seconds=20, never=[never])
    verdicts = {
        (found["name"], found.get("role")): found for found in news[-2]["found"]["verdicts"]
    }
    assert news[-1]["event"] == "done"
    assert verdicts["ends", None]["verdict"] == "proved"
    assert verdicts["playable", "first"]["verdict"] == "proved"
    refuted = verdicts["never", None]
    assert (refuted["verdict"], refuted["witness"]) == ("refuted", [["(take 1)", "noop"]])
    assert refuted["summary"].startswith("after 1 joint move, ")
    # The page shows the line by playing it.
    found = line(client, NIM, *refuted["witness"])
    assert (found["legal"], found["reason"]) == (1, None)
    assert {"(pile 5)", "(control second)"} <= set(found["here"]["facts"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("rules", "never", "reason"),
    [
        ("(role", [], "rules:1:1: this parenthesis is never closed"),
        (NIM, ["(true (pile"], "parenthes"),
        (NIM, ["(undefined 3)"], "`undefined`"),
        (NIM, ["(does first noop)"], "terminal"),
    ],
)
def test_what_cannot_be_proved_is_answered_by_a_line(
    client: FlaskClient, shared: Manager, rules: str, never: list[str], reason: str
) -> None:
    news = proofs(shared, client, rules=rules, never=never)
    assert news[-1]["event"] == "failed"
    assert reason in news[-1]["error"]
    assert "\n" not in news[-1]["error"]


def test_a_page_has_one_proof_and_ends_it(client: FlaskClient, shared: Manager) -> None:
    page, before = "d" * 16, descendants(os.getpid())
    chess = (GAMES / "breakthrough.kif").read_text()
    first = shared.analyses.find(ask(client, "proofs", page=page, rules=chess)["id"])
    second = shared.analyses.find(ask(client, "proofs", page=page, rules=chess)["id"])
    assert first is not None
    assert second is not None
    first.join()
    assert first.is_over
    assert not second.is_over
    started = descendants(os.getpid()) - before
    assert started
    ask(client, "leave", page=page)
    assert all_gone(started, within=10)
    second.join()
    assert second.is_over


HOSTILE: Mapping[str, tuple[str, dict[str, object], str]] = {
    "nothing": ("check", {}, "the rules are a text"),
    "a list": ("check", {"rules": ["(role x)"]}, "the rules are a text"),
    "too long": (
        "check",
        {"rules": ";" * (MAX_DRAFT + 1)},
        "up to 500,000 characters, not 500,001",
    ),
    "half a character": ("check", {"rules": "(role \ud800)"}, "half of a character"),
    "no moves": ("line", {"rules": NIM, "step": 0}, "list of joint moves"),
    "flat moves": ("line", {"rules": NIM, "step": 0, "moves": ["(take 1)"]}, "list of joint moves"),
    "no step": ("line", {"rules": NIM, "moves": [], "step": "0"}, "a step is a number"),
    "a step back": ("line", {"rules": NIM, "moves": [], "step": -1}, "a step is a number"),
    "a long line": ("line", {"rules": NIM, "moves": [[]] * 2001, "step": 0}, "2,000 steps"),
    "no term": ("line", {"rules": NIM, "moves": [["(", "noop"]], "step": 0}, "parenthes"),
    "no time": ("proofs", {"rules": NIM, "seconds": 0}, "up to 30 seconds"),
    "much time": ("proofs", {"rules": NIM, "seconds": 31}, "up to 30 seconds"),
    "no condition": ("proofs", {"rules": NIM, "never": "(true x)"}, "list of texts"),
    "conditions": ("proofs", {"rules": NIM, "never": ["(true x)"] * 11}, "10 conditions"),
    "a condition": ("proofs", {"rules": NIM, "never": ["x" * 2001]}, "2,000 characters"),
    "broken": ("line", {"rules": "(role", "moves": [], "step": 0}, "parenthes"),
    "no role": ("line", {"rules": "", "moves": [], "step": 0}, "no role"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nonsense_is_answered_by_what_is_wrong(client: FlaskClient, name: str) -> None:
    what, told, reason = HOSTILE[name]
    reply = client.post(f"/api/drafts/{PAGE}/{what}", json=told)
    assert reply.status_code in (400, 409)
    assert reason in reply.get_json()["error"]


@pytest.mark.parametrize("page", ["x", "..", "0" * 99, "00112233445566AA"])
def test_a_page_has_an_id_of_the_form_that_pages_choose(client: FlaskClient, page: str) -> None:
    assert client.post(f"/api/drafts/{page}/check", json={"rules": NIM}).status_code == 404


QUESTIONS = [f"drafts/{PAGE}/{what}" for what in ("check", "format", "line", "proofs")]
ENDS = [f"drafts/{PAGE}/{what}" for what in ("leave", "board/stop")]


@pytest.mark.parametrize("path", [*QUESTIONS, *ENDS, "games"])
def test_pages_of_others_ask_nothing(client: FlaskClient, path: str) -> None:
    told = {"rules": NIM, "name": "nim", "moves": [], "step": 0}
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post(f"/api/{path}", json=told, headers=headers).status_code == 403
    if path not in ENDS:  # these read nothing
        assert client.post(f"/api/{path}", data=told).status_code == 415


def test_a_manager_answers_to_its_own_names_only(shared: Manager) -> None:
    client = make_app(shared, origins=Origins.open(host="localhost")).test_client()
    headers = {"Host": "rebound.example:8080"}
    reply = client.post(f"/api/drafts/{PAGE}/check", json={"rules": NIM}, headers=headers)
    assert reply.status_code == 403


def test_saving_adds_a_game_and_overwrites_none(client: FlaskClient, shared: Manager) -> None:
    edited = NIM.replace("(init (pile 6))", "(init (pile 5))")
    first = client.post("/api/games", json={"name": "nim", "rules": edited}).get_json()
    second = client.post("/api/games", json={"name": "nim", "rules": NIM}).get_json()
    assert first["id"] != second["id"] != "nim"
    assert client.get("/games/nim/rules").text == NIM
    assert client.get(f"{first['url']}/rules").text == edited
    game = shared.games.find(first["id"])
    assert game is not None
    assert (game.name, game.path.parent.name) == ("nim", "games")
    for name in ("../../nim", "/etc/passwd", ""):
        saved = client.post("/api/games", json={"name": name, "rules": NIM}).get_json()
        assert re.fullmatch(r"[A-Za-z0-9_-]+\.[0-9a-f]{12}", saved["id"])
    for told in ({"name": "nim"}, {"name": "nim", "rules": " \n"}, {"name": 3, "rules": NIM}):
        assert client.post("/api/games", json=told).status_code == 400


def guides() -> set[int]:
    return {
        pid for pid in descendants(os.getpid()) if "manager.processes.guide" in command_line(pid)
    }


@pytest.mark.long
def test_a_page_that_goes_leaves_no_process(client: FlaskClient) -> None:
    page, before = "a" * 16, guides()
    ask(client, "check", page=page, rules=NIM)
    ask(client, "line", page=page, rules=NIM, moves=[], step=0)
    started = guides() - before
    # A process that the manager starts ahead for the next game may be among them.
    assert len(started) in (2, 3)

    def ended() -> int:
        return len(started - guides())

    ask(client, "board/stop", page=page)
    assert happens(lambda: ended() == 1, within=10)
    ask(client, "leave", page=page)
    assert happens(lambda: ended() == 2, within=10)


@pytest.mark.long
@pytest.mark.parametrize("rules", [sheets.ENDLESS, sheets.BOMB, "(" * 100_000, "(role x)" * 60_000])
def test_hostile_rules_end_their_own_board_only(client: FlaskClient, rules: str) -> None:
    page = "c" * 16
    told = {"rules": rules, "moves": [], "step": 0}
    reply = client.post(f"/api/drafts/{page}/line", json=told)
    assert reply.status_code in (200, 409)
    if reply.status_code == 409:
        assert "\n" not in reply.get_json()["error"]
    assert ask(client, "check", rules=NIM)["findings"] == []
    assert line(client, NIM)["legal"] == 0
    ask(client, "leave", page=page)

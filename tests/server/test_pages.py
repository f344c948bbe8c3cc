"""The status page and the metrics."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ggp.server.player import make_app
from tests.server.fakes import FakeSession, Table, start

SCRIPT = "<script>alert`1`</script>"


def get(table: Table, path: str) -> tuple[str, dict[str, str]]:
    response = make_app(table.protocol).test_client().get(path)
    assert response.status_code == 200
    return response.text, dict(response.headers)


def samples(text: str) -> dict[str, float]:
    """The samples by name and labels, such as ``ggp_matches{phase=waiting}``."""
    return {
        sample.name
        + "{"
        + ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
        + "}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_status_page_lists_the_matches() -> None:
    table = Table(max_matches=2)
    table.ask_all(start("first"), "(PLAY first NIL)", start("second", role="black"))
    table.time += 7
    text, headers = get(table, "/status")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in text.split("<tr ")[1:]]
    assert [row[:5] for row in rows] == [
        ["first", "white", "waiting", "0", "(choose 0)"],
        ["second", "black", "waiting", "", ""],
    ]
    assert [row[5:8] for row in rows] == [["10 s, 4 s", "7 s", "7 s"]] * 2
    assert [row[8] for row in rows] == ["this machine"] * 2
    assert [row[10] for row in rows] == ["4711 4712"] * 2
    assert "2 of 2 matches; busy" in text


def test_the_status_page_says_what_a_player_has_learned() -> None:
    table = Table()
    table.make = lambda: FakeSession(note=f"learned nothing: {SCRIPT}")
    table.ask_all(start())
    text, _ = get(table, "/status")
    assert f"learned nothing: {SCRIPT}" in unescape(text)
    assert SCRIPT not in text


def test_the_status_page_shows_the_last_answer_while_the_player_thinks() -> None:
    table, shown = Table(), list[list[str]]()

    def look(_: object) -> None:
        shown.append(re.findall(r"\(choose \d\)", get(table, "/status")[0]))

    table.make = lambda: FakeSession(thinks=look)
    table.ask_all(start(), "(PLAY m1 NIL)", "(PLAY m1 ((choose 0) (choose 2)))")
    assert shown == [[], [], ["(choose 0)"]]  # while it prepares, and in two turns


def test_nothing_from_outside_is_markup() -> None:
    table = Table()
    table.make = lambda: FakeSession(answer=SCRIPT)
    replies = table.ask_all(start(SCRIPT), f"(PLAY {SCRIPT} NIL)")
    assert replies == ["ready", SCRIPT]
    table.protocol.handle(start("other"), address=SCRIPT)
    text, headers = get(table, "/status")
    assert "<script" not in text
    assert unescape(text).count(SCRIPT) == 3  # id, answer, address
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_the_style_is_what_the_policy_allows() -> None:
    text, headers = get(Table(), "/status")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in headers["Content-Security-Policy"]


def test_metrics_count_messages_and_matches() -> None:
    table = Table()
    client = make_app(table.protocol).test_client()
    matches = start("a"), "(PLAY a NIL)", start("c"), "(STOP c NIL)"
    for message in (*matches, "(PLAY b NIL)", "(DANCE)"):
        client.post("/", data=message)
    response = client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    found = samples(response.text)
    assert found["ggp_reply_seconds_count{verb=play}"] == 2
    assert found["ggp_reply_seconds_count{verb=start}"] == 2
    assert found["ggp_troubles_total{verb=play}"] == 1
    assert found["ggp_troubles_total{verb=unreadable}"] == 1
    assert found["ggp_matches{phase=waiting}"] == 1
    assert found["ggp_matches_ended_total{how=stopped}"] == 1
    assert found["ggp_delay_seconds{}"] >= 0


def test_two_servers_of_one_process_count_apart() -> None:
    one, other = Table(), Table()
    client = make_app(one.protocol).test_client()
    client.post("/", data="(INFO)")
    assert "ggp_reply_seconds_count{verb=info}" not in samples(get(other, "/metrics")[0])


@pytest.mark.parametrize("path", ["/", "/?%28INFO%29", "/%28INFO%29"])
def test_the_pages_are_in_no_messages_way(path: str) -> None:
    text, headers = get(Table(), path)
    assert text == "((name fake) (status available))"
    assert headers["Content-Type"] == "text/acl"


def test_a_message_may_be_posted_to_any_path() -> None:
    client = make_app(Table().protocol).test_client()
    for path in ("/status", "/metrics"):
        assert client.post(path, data="(INFO)").text == "((name fake) (status available))"

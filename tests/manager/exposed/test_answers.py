"""What a manager takes from a network, and what its answers tell about the machine."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ggp.server.access.origins import Origins
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.record_files import read_record
from ggp.server.manager.records import RecordsFull
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.home.record_files import record_of

DEEP = "[" * 100_000
MATCH = {"kind-0": "random", "kind-1": "random", "start_clock": "5", "play_clock": "5"}


# What comes in


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (DEEP, "nested too deeply"),
        ('{"facts": ' + DEEP, "nested too deeply"),
        ('{"facts":', "line 1 column 10"),
        ('{"facts": ' + "1" * 5000 + "}", "no JSON that can be read"),
        (b"\xff\xfe\xfd", "no JSON that can be read"),
        ("[]", "JSON object"),
    ],
)
def test_json_that_cannot_be_read_is_refused(
    client: FlaskClient, told: str | bytes, reason: str
) -> None:
    data = told.encode() if isinstance(told, str) else told
    reply = client.post("/api/games/nim/draw", data=data, content_type="application/json")
    assert (reply.status_code, reason in reply.get_json()["error"]) == (400, True)
    if isinstance(told, str) and told != "[]":  # the same in the field of a form
        reply = client.post("/games/nim/matches", data={**MATCH, "start": told})
        assert (reply.status_code, reason in reply.text) == (400, True)


def test_json_is_wanted_as_such(client: FlaskClient) -> None:
    """Any site can have a browser send plain text."""
    reply = client.post("/api/games/nim/draw", data="{}", content_type="text/plain")
    assert (reply.status_code, "application/json" in reply.text) == (415, True)


def test_json_that_is_too_long_is_refused_before_it_is_read(client: FlaskClient) -> None:
    told = json.dumps({"facts": ["x" * 5_000_000]})
    reply = client.post("/api/games/nim/draw", data=told, content_type="application/json")
    assert reply.status_code == 413
    assert reply.get_json()["error"] == "a request like this may have 4,000,000 bytes"


@pytest.mark.parametrize(
    "path",
    [
        f"/api/records/x/scenes/{'1' * 5000}",
        f"/records/x/state.svg?step={'1' * 5000}",
        f"/api/matches/x/events?after=x-{'1' * 5000}",
    ],
)
def test_a_number_of_thousands_of_digits_is_no_error_of_ours(
    client: FlaskClient, path: str
) -> None:
    assert client.get(path).status_code == 404


def test_the_events_of_another_manager_are_not_known(client: FlaskClient, shared: Manager) -> None:
    begun = client.post("/games/nim/matches", data={**MATCH, "kind-0": "human"})
    match = begun.location.partition("#")[0]
    stream = client.get(f"/api{match}/events?after=x-{'1' * 5000}")
    assert (stream.status_code, next(iter(stream.response))) == (200, b"retry: 1000\n\n")
    stream.close()
    found = shared.matches.find(match.rpartition("/")[2])
    assert found is not None
    found.abort()


# Who asks


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "iframe"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, 200),  # a link
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}, 200),  # the address bar
        ({"Origin": "http://localhost"}, 200),
        ({"User-Agent": "Mozilla/5.0"}, 200),  # a browser, of a machine of the network
        ({}, 200),
    ],
)
def test_pages_of_others_load_nothing(
    client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    assert client.get("/games/nim/rules", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8080", 200),
        ("192.168.1.5:8080", 200),  # no site has a number for its name
        ("games.example:8080", 200),
        ("rebound.example:8080", 403),
    ],
)
def test_a_manager_on_a_network_answers_to_its_names(
    shared: Manager, host: str, status: int
) -> None:
    origins = Origins.open(host="0.0.0.0", allowed_hosts=["games.example"])
    client = make_app(shared, origins=origins).test_client()
    assert client.get("/games/nim/rules", headers={"Host": host}).status_code == status
    reply = client.post(
        "/games", data={"rules": "(role me)"}, headers={"Host": host, "Origin": f"http://{host}"}
    )
    assert reply.status_code == (302 if status == 200 else 403)


# What goes out


def test_no_answer_names_a_folder_of_the_machine(manager: Manager, tmp_path: Path) -> None:
    client = make_app(manager).test_client()
    game = client.post("/games", data={"name": "mine", "rules": sheets.ROW}).location
    refused = client.post("/records", data={"record": (BytesIO(b"{}"), "r.json")})
    assert refused.status_code == 400
    whole = client.post("/records", data={"record": (record_of(), "r.json")}).location
    broken = f"/records/{manager.records.add(b'{}').name}"  # as if written by hand
    gone = f"/records/{manager.records.add(b'[]').name}"
    record = manager.find_record(gone.rpartition("/")[2])
    assert record is not None
    record.path.unlink()
    record.path.mkdir()
    texts = [refused.text]
    for address in (broken, whole, gone):
        paths = [
            address,
            f"{address}/record.json",
            f"{address}/state.svg",
            f"{address}/replay.html",
        ]
        paths += [f"/api{address}{rest}" for rest in ("", "/layout", "/summary", "/scenes/0")]
        texts += [client.get(path).text for path in paths]
    texts += [client.get(path).text for path in ("/", game, f"{game}/explore", "/api/results")]
    start = json.dumps({"record": broken.rpartition("/")[2], "step": 1})
    begun = client.post("/games/nim/matches", data={**MATCH, "start": start}).location
    match = manager.matches.find(begun.partition("#")[0].rpartition("/")[2])
    assert match is not None
    known, is_over = 0, False
    while not is_over:
        events, known, is_over = match.events(known, timeout=60)
        texts += map(str, events)
    assert any("missing" in text for text in texts)  # the reason is told
    assert not [text for text in texts if str(tmp_path) in text]


def test_the_record_of_a_match_names_the_file_and_not_its_folder(
    manager: Manager, tmp_path: Path
) -> None:
    game = manager.games.add("mine", sheets.ROW)
    data = record_of(gameMetaURL=game.url).read()
    record = manager.records.add(data)
    assert str(tmp_path).encode() in data
    shown = record.shown()
    assert shown == data.replace(game.url.encode(), f"file:///{game.id}.kif".encode())
    # Brought to a manager, it still finds its game.
    assert manager.games.at(f"file:///{game.id}.kif") == game
    signed = manager.records.add(record_of(gameMetaURL=game.url, matchHostSignature="x").read())
    assert signed.shown() == signed.data()


def test_the_number_of_records_that_are_brought_is_limited(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.manager.records._MAX_BROUGHT", 1)
    first = manager.records.add(b"{}")
    with pytest.raises(RecordsFull, match="remove some"):
        manager.records.add(b"[]")
    assert manager.records.add(b"{}") == first
    reply = (
        make_app(manager)
        .test_client()
        .post("/records", data={"record": (BytesIO(b"[]"), "r.json")})
    )
    assert (reply.status_code, "there are 1 uploaded records" in reply.text) == (409, True)


def test_a_record_that_cannot_be_read_is_not_named(tmp_path: Path) -> None:
    (path := tmp_path / "r.json").write_text("{}")
    with pytest.raises(Exception, match="missing") as told:
        read_record(path)
    assert str(tmp_path) not in str(told.value)

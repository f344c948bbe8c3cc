"""Which web pages may send requests, and to which names a server answers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from werkzeug.datastructures import Headers

from ggp.server.access.origins import Origins

BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0"


@pytest.fixture(autouse=True)
def _hostname(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Player.lan")


def refusal(
    headers: Mapping[str, str], origins: Origins | None = None, *, changes: bool = True
) -> str:
    return (origins or Origins.open(host="127.0.0.1")).refusal(Headers(headers), changes=changes)


@pytest.mark.parametrize(
    "headers",
    [
        {},  # Dresden
        {"Host": "127.0.0.1:9147"},  # ggp-base
        {"Host": "localhost", "User-Agent": "Java/1.8"},
        {"Host": "localhost:9147", "User-Agent": BROWSER, "Sec-Fetch-Site": "none"},
        {"Host": "localhost:9147", "User-Agent": BROWSER, "Sec-Fetch-Site": "same-origin"},
        {"Host": "localhost:9147", "User-Agent": BROWSER, "Origin": "http://localhost:9147"},
    ],
)
def test_programs_and_the_pages_of_the_server_may_change_things(headers: dict[str, str]) -> None:
    assert refusal(headers) == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.com"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9147", "Host": "localhost:8080"},  # another server
        {"Origin": "https://localhost:9147", "Host": "localhost:9147"},
        {"Origin": "http://evil.com", "Sec-Fetch-Site": "same-origin"},
        {"Origin": ""},
        {"Origin": "http://"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"User-Agent": BROWSER},  # over plain HTTP, an image of any page looks like this
    ],
)
def test_the_pages_of_other_sites_may_only_read(headers: dict[str, str]) -> None:
    headers = {"Host": "127.0.0.1:9147", **headers}
    assert refusal(headers)
    assert refusal(headers, changes=False) == ""


def test_the_operator_may_allow_a_site() -> None:
    one = Origins.open(host="127.0.0.1", allowed_origins=["https://GGP.org", "null"])
    headers = {"User-Agent": BROWSER, "Sec-Fetch-Site": "cross-site"}
    for origin in ("https://ggp.org", "null"):
        assert refusal({**headers, "Origin": origin}, one) == ""
        assert one.allows(origin)
    assert "http://ggp.org" in refusal({"Origin": "http://ggp.org"}, one)
    assert not one.allows("http://ggp.org")
    every = Origins.open(host="127.0.0.1", allowed_origins=["*"])
    assert refusal({"Origin": "http://evil.com"}, every) == ""
    assert refusal({"User-Agent": BROWSER}, every) == ""
    assert every.allows("http://evil.com")


@pytest.mark.parametrize(
    ("host", "named", "is_answered"),
    [
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "LOCALHOST.:80", True),
        ("127.0.0.1", "[::1]:9147", True),
        ("127.0.0.1", "10.0.0.7:9147", True),  # no site has an address for its name
        ("127.0.0.1", "evil.com", False),
        ("127.0.0.1", "evil.com:9147", False),
        ("127.0.0.1", "127.0.0.1.evil.com", False),
        ("127.0.0.1", "localhost@evil.com", False),
        ("127.0.0.1", "localhost, evil.com", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "player", False),
        ("0.0.0.0", "evil.com", False),
        ("0.0.0.0", "player", True),
        ("0.0.0.0", "player.lan:9147", True),
        ("0.0.0.0", "player.local", True),
        ("::", "[fd00::2]:9147", True),
        ("games.lan", "Games.LAN:9147", True),
        ("games.lan", "evil.com", False),
    ],
)
@pytest.mark.parametrize("changes", [False, True])
def test_a_host_must_name_this_machine(
    host: str, named: str, is_answered: bool, changes: bool
) -> None:
    refused = refusal({"Host": named}, Origins.open(host=host), changes=changes)
    assert (refused == "") is is_answered


def test_the_operator_may_allow_a_name() -> None:
    one = Origins.open(host="0.0.0.0", allowed_hosts=["Games.example.org"])
    assert refusal({"Host": "games.example.org:443"}, one) == ""
    assert "evil.com" in refusal({"Host": "evil.com"}, one)
    every = Origins.open(host="0.0.0.0", allowed_hosts=["*"])
    assert refusal({"Host": "<> /"}, every) == ""


@pytest.mark.parametrize("host", ["games.example.org:80", "http://games", "", "a b"])
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r"is no name of a host, such as games\.example\.org"):
        Origins.open(host="0.0.0.0", allowed_hosts=[host])


@pytest.mark.parametrize("origin", ["games.example.org", "https://a.org/", "https://", ""])
def test_an_origin_that_is_none_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match=r"is no origin, such as https://games\.example\.org"):
        Origins.open(host="0.0.0.0", allowed_origins=[origin])


def test_a_request_without_a_host_has_no_site_of_its_own() -> None:
    for origin in ("http://none", "http://"):
        assert refusal({"Origin": origin})

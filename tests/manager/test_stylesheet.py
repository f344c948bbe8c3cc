"""A game's stylesheet styles its board, and can do nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.server.manager.web.stylesheet import sanitised


def clean(text: str) -> str:
    return sanitised(text, scope=".scene")


def test_what_dresses_the_board_stays() -> None:
    text = '.piece[data-content="x"]::before{content:"\u2716";color:#c00 !important}'
    assert clean(text) == f".scene {text}"


@pytest.mark.parametrize(
    "declaration",
    [
        "background:url(http://evil/)",
        "background:url('//evil/')",
        "background:URL(http://evil/)",
        "background:\\75rl(http://evil/)",
        "background:image-set('http://evil/' 1x)",
        "background:-webkit-image-set(url(http://evil/) 1x)",
        "background:image(http://evil/)",
        "background:linear-gradient(red,red),url(http://evil/)",
        "background:var(--a,url(http://evil/))",
        "--a:url(http://evil/)",
        "--a:{b:url(http://evil/)}",
        "cursor:url(http://evil/),auto",
        "width:expression(alert(1))",
        "behavior:url(a.htc)",
        "-moz-binding:url(a.xml)",
        "background:url(data:text/html,evil)",
        "content:attr(data-x url)",
    ],
)
def test_what_loads_or_runs_something_goes(declaration: str) -> None:
    assert clean(f".piece{{color:red;{declaration};top:0}}") in (
        ".scene .piece{color:red;top:0}",
        ".scene .piece{color:red}",
        "",
    )


@pytest.mark.parametrize(
    "rule",
    [
        "@import 'http://evil/'",
        "@import url(http://evil/);",
        "@font-face{font-family:x;src:url(http://evil/)}",
        "@namespace url(http://evil/);",
        "@charset 'utf-8';",
        "@property --a{syntax:'*';inherits:true;initial-value:url(http://evil/)}",
        "@layer a{body{color:red}}",
        "@scope (body){a{color:red}}",
        "@supports (background:url(http://evil/)){a{color:red}}",
        "> body{color:red}",
        "~ form{display:none}",
        "+ .side{display:none}",
        "& ~ .side{display:none}",
        "</style><script>alert(1)</script>{color:red}",
    ],
)
def test_what_reaches_beyond_the_board_goes(rule: str) -> None:
    assert clean(rule) == ""


def test_every_selector_is_bound_to_the_board() -> None:
    assert clean("body, .a:is(.b, .c), html .d{top:0}") == (
        ".scene body,.scene .a:is(.b, .c),.scene html .d{top:0}"
    )
    assert clean("@media (min-width:1px){body{top:0}}") == (
        "@media (min-width:1px){.scene body{top:0}}"
    )


def test_an_image_inside_the_stylesheet_stays() -> None:
    text = '.piece{background:url("data:image/png;base64,AAAA")}'
    assert clean(text) == f".scene {text}"


def test_braces_that_do_not_match_set_nothing_free() -> None:
    assert clean(".a{top:0}} body{top:0} .b{top:0}").count(".scene ") == clean(
        ".a{top:0}} body{top:0} .b{top:0}"
    ).count("{")


@given(st.text(alphabet="{}()[];:,.@&>~+*#\"'\\/ \nabuilrt-0<!", max_size=60))
def test_whatever_comes_every_rule_is_bound(text: str) -> None:
    cleaned = clean(text)
    assert "@import" not in cleaned
    for line in cleaned.splitlines():
        assert line.startswith((".scene ", "@media ", "@supports ", "}"))

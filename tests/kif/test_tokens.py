from __future__ import annotations

import pytest

from ggp.kif.tokens import TOKEN, closing


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("()", 0, 2),
        ("(p (q 1) r) s", 0, 11),
        ("(p (q 1) r) s", 3, 8),
        ("(p ; )\n)", 0, 8),
        ("(p ; )\r)", 0, 8),
        ("(p (q)", 0, None),
        ("(p ; )", 0, None),
    ],
)
def test_a_term_ends_where_its_parenthesis_is_closed(
    text: str, start: int, end: int | None
) -> None:
    assert closing(text, start) == end


def test_tokens_are_comments_parentheses_and_what_lies_between() -> None:
    assert TOKEN.findall("(<= p;(x\n ?y )") == ["(", "<=", "p", ";(x", "?y", ")"]

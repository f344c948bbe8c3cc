from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Term, parse, pretty, to_kif
from tests.kif.random_terms import RULESHEETS


@given(RULESHEETS, st.integers(0, 60))
def test_printed_terms_parse_to_the_same_terms(terms: tuple[Term, ...], width: int) -> None:
    assert parse(to_kif(terms)) == terms
    assert parse(pretty(terms, width=width)) == terms


def test_one_blank_between_tokens_none_inside_parentheses() -> None:
    assert to_kif(parse("( role  x )\n(a(b\n()))")) == "(role x)\n(a (b ()))\n"


def test_pretty_breaks_a_long_rule_before_each_condition() -> None:
    terms = parse("(<= (p ?x) (q ?x) (not (r ?x))) (init (cell 1 1 b))")
    assert pretty(terms, width=20) == (
        "(<= (p ?x)\n    (q ?x)\n    (not (r ?x)))\n(init (cell 1 1 b))\n"
    )
    assert pretty(terms) == to_kif(terms)

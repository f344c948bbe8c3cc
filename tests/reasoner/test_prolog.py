from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Symbol, Term, compound, parse_term
from ggp.reasoner.prolog.reasoner import _read
from tests.reasoner.conformance import Conformance

pytestmark = pytest.mark.usefixtures("forked")


class TestProlog(Conformance):
    kind = "prolog"


WORDS = st.text(
    st.characters(categories=["L", "N", "S", "P"], exclude_characters="();?"), min_size=1
)
TERMS: st.SearchStrategy[Term] = st.recursive(
    WORDS.map(Symbol),
    lambda inner: st.tuples(WORDS, st.lists(inner)).map(lambda made: compound(made[0], *made[1])),
    max_leaves=12,
)


@given(TERMS)
def test_what_prolog_writes_is_read_as_the_parser_reads_it(term: Term) -> None:
    assert _read(str(term)) == term == parse_term(str(term))

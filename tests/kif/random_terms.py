"""Random KIF terms: any symbol that the grammar allows, any nesting up to a small depth."""

from __future__ import annotations

from hypothesis import strategies as st

from ggp.kif import Compound, Symbol, Term

#: Every character of a text but control characters and those that mean something to the grammar.
_CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" ();")

SYMBOLS = st.one_of(
    st.sampled_from(["<=", "not", "?x", "?", "true", "TRUE", "role", "12", "-3", "a'b", "=", "+"]),
    st.text(_CHARACTERS, min_size=1, max_size=6),
).map(Symbol)

TERMS: st.SearchStrategy[Term] = st.recursive(
    SYMBOLS,
    lambda inner: st.lists(inner, max_size=5).map(lambda items: Compound(tuple(items))),
    max_leaves=20,
)

RULESHEETS = st.lists(TERMS, max_size=6).map(tuple)

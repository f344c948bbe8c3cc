from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Compound, Lines, Position, Source, Term, parse
from tests.kif.random_terms import RULESHEETS


@given(st.text("ab\n\r é", max_size=30), st.data())
def test_positions_and_offsets_are_inverse(text: str, data: st.DataObject) -> None:
    lines = Lines(text)
    offset = data.draw(st.integers(0, len(text)))
    position = lines.position(offset)
    assert lines.offset(position) == offset
    if offset < len(text):
        assert Source(text).position(offset) == position


def nodes(term: Term) -> list[Term]:
    items = term.items if isinstance(term, Compound) else ()
    return [term, *(node for item in items for node in nodes(item))]


@given(RULESHEETS, st.sampled_from([" ", "\n", "\r\n", "\t ; a comment )(\n"]))
def test_the_text_up_to_a_terms_end_is_the_term(terms: tuple[Term, ...], blank: str) -> None:
    text = blank.join(str(term).replace(" ", blank) for term in terms)
    lines = Lines(text)
    for term in parse(text):
        for node in nodes(term):
            assert node.position is not None
            written = lines.slice(node.position, lines.end(node))
            assert parse(written) == (node,)


def test_a_line_has_no_end() -> None:
    lines = Lines("one\r\ntwo\n")
    assert [lines[number] for number in range(1, 5)] == ["one", "two", "", ""]
    assert len(lines) == 3
    assert lines.position(len(lines.text)) == Position(3, 1)

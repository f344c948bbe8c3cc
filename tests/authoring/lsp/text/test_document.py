"""A text that is edited is read like one that is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.authoring.lsp.background.repair import repair
from ggp.authoring.lsp.text.document import Document
from ggp.authoring.lsp.text.lines import Lines
from ggp.authoring.lsp.text.regions import Region, regions
from ggp.kif import Source, parse
from tests.authoring.lsp.game import GAME

PROJECT = Path(__file__).parents[4]
SHEETS = [
    *sorted((PROJECT / "games").glob("*.kif")),
    *sorted((PROJECT.parent / "shared" / "corpus").glob("*.kif")),
]

pieces = st.sampled_from(
    ["(", ")", "(<= ", "\n", "\n(", " ", "; x\n", "a", "?x", "(p a)", "\r\n", "🎲", "<=", ";"]
)
texts = st.lists(pieces, max_size=30).map("".join)
edits = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 10), texts), max_size=6)


def pieces_of(document: Document) -> list[tuple[int, str]]:
    return [(placed.start, placed.statement.text) for placed in document.statements()]


@given(texts, edits)
def test_an_edited_text_is_cut_as_a_fresh_one(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = Document("", text)
    for start, length, new in edits:
        begin = min(start, len(document.text))
        document.edit(begin, min(begin + length, len(document.text)), new)
        fresh = Document("", document.text)
        assert pieces_of(document) == pieces_of(fresh)
        assert document.uses == fresh.uses


@given(texts)
def test_the_pieces_hold_all_of_the_text_but_blanks(text: str) -> None:
    end = 0
    for start, piece in pieces_of(Document("", text)):
        assert not text[end:start].strip(" \t\r\n\f\v")
        assert text.startswith(piece, start)
        end = start + len(piece)
    assert not text[end:].strip(" \t\r\n\f\v")


@given(texts)
def test_a_repaired_text_can_be_parsed(text: str) -> None:
    repaired = repair(text)
    parse(repaired.text)
    assert bool(repaired.problems) == (repaired.text != text)
    for problem in repaired.problems:
        assert 0 <= problem.start <= problem.end <= len(text)
    if not repaired.problems:
        return
    for offset in range(len(repaired.text) + 1):
        original = repaired.original(offset)
        if 0 <= original < len(text) and not repaired.is_broken(original):
            assert repaired.text[offset : offset + 1] == text[original]


@given(texts)
def test_points_and_offsets_agree(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":
            assert lines.offset(*lines.point(offset)) == offset


@pytest.mark.sample(10)
@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_statements_are_those_of_the_parser(path: Path) -> None:
    source = Source.read(path)
    document = Document("", source.text)
    statements = [
        p.statement for p in document.statements() if p.statement.tokens[0].kind != "comment"
    ]
    terms = parse(source)
    assert len(statements) == len(terms)
    for statement, term in zip(statements, terms, strict=True):
        assert parse(statement.text) == (term,)


def test_an_open_statement_ends_where_the_next_one_begins() -> None:
    broken = GAME.replace("(role left)", "(role left").replace("(stones 0)))", "(stones 0)")
    texts = [text for _, text in pieces_of(Document("", broken))]
    assert "(role left" in texts
    assert "(role right)" in texts
    assert "(<= terminal\n    (true (stones 0)" in texts
    assert "(<= (goal ?r 0)\n    (true (control ?r)))" in texts


def test_an_edit_reads_only_what_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("", GAME)
    read: list[str] = []

    def spy(text: str, start: int) -> Iterator[tuple[int, Region]]:
        for at, region in regions(text, start):
            read.append(text[at : at + region.length])
            yield at, region

    monkeypatch.setattr("ggp.authoring.lsp.text.document.regions", spy)
    start = document.text.index("(stones 0)")
    document.edit(start, start + 10, "(stones 1)")
    # The statement after it is looked at to see that it is the same.
    assert read[0] == "(<= terminal\n    (true (stones 1)))"
    assert len(read) == 2

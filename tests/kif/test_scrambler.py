from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Scrambler, Symbol, Term, parse, parse_term, symbols, to_kif
from tests.kif.random_terms import RULESHEETS

KEPT = "role init true next legal does goal terminal base input sees random distinct not or <="


@given(RULESHEETS, st.integers())
def test_unscrambling_undoes_scrambling(terms: tuple[Term, ...], seed: int) -> None:
    scrambler = Scrambler(terms, seed=seed)
    assert tuple(scrambler.unscramble(scrambler.scramble(term)) for term in terms) == terms


@given(RULESHEETS, st.integers())
def test_it_is_one_to_one(terms: tuple[Term, ...], seed: int) -> None:
    scrambler = Scrambler(terms, seed=seed)
    names = {s for term in terms for s in symbols(term)}
    assert len({scrambler.scramble(name) for name in names}) == len(names)


@given(RULESHEETS, st.integers())
def test_variables_stay_variables_and_constants_constants(
    terms: tuple[Term, ...], seed: int
) -> None:
    scrambler = Scrambler(terms, seed=seed)
    for name in {s for term in terms for s in symbols(term)}:
        scrambled = scrambler.scramble(name)
        assert isinstance(scrambled, Symbol)
        assert scrambled.is_variable == name.is_variable


@pytest.mark.parametrize("word", KEPT.split())
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.capitalize])
def test_keywords_stay_in_any_case(word: str, spell: type[str]) -> None:
    name = Symbol(spell(word))
    assert Scrambler([name]).scramble(name) == name


@pytest.mark.parametrize("number", ["0", "100", "-3", "+7", "007"])
def test_integers_stay(number: str) -> None:
    assert Scrambler([Symbol(number)]).scramble(Symbol(number)) == Symbol(number)


def test_everything_else_is_renamed() -> None:
    terms = parse("(role white) (<= (legal white (mark ?x 1)) (true (cell ?x b)))")
    renamed = [Scrambler(terms).scramble(term) for term in terms]
    assert not {"white", "mark", "?x", "cell", "b"} & set(to_kif(renamed).split())
    kept = {*KEPT.split(), "1"}
    shapes = [[str(symbol) in kept for symbol in symbols(term)] for term in renamed]
    assert shapes == [[str(symbol) in kept for symbol in symbols(term)] for term in terms]


def test_the_same_seed_gives_the_same_names_and_another_seed_others() -> None:
    terms = parse("(role white) (role black) (cell ?x ?y)")
    once, again, other = (
        [Scrambler(terms, seed=seed).scramble(term) for term in terms] for seed in (1, 1, 2)
    )
    assert once == again
    assert once != other


def test_no_new_name_is_a_keyword_or_a_name_that_stays() -> None:
    terms = [Symbol(f"name{number}") for number in range(2000)]
    scrambler = Scrambler(terms)
    new = [str(scrambler.scramble(term)) for term in terms]
    assert not set(new) & set(KEPT.split())
    assert len(set(new)) == 2000


def test_a_symbol_that_the_game_does_not_have_stays() -> None:
    scrambler = Scrambler(parse("(role white)"))
    assert scrambler.scramble(parse_term("(unheard of)")) == parse_term("(unheard of)")
    assert scrambler.unscramble(parse_term("(unheard of)")) == parse_term("(unheard of)")

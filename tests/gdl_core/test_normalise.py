from __future__ import annotations

import pytest

from ggp.errors import GdlError
from ggp.gdl import Relation, canonical, relation_of
from ggp.gdl.normalise import normalise
from ggp.kif import Source, parse, parse_term, variables


def rules(text: str) -> list[str]:
    source = Source(text, "game.kif")
    return [str(rule) for rule in normalise(parse(source), source=source)]


def error_of(text: str) -> GdlError:
    with pytest.raises(GdlError) as caught:
        rules(text)
    return caught.value


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("(p a)", ["(p a)"]),
        ("(<= p)", ["p"]),
        ("(<= p q (not r))", ["(<= p q (not r))"]),
        # or
        ("(<= p (or a b) c)", ["(<= p a c)", "(<= p b c)"]),
        (
            "(<= p (or a b) (or c d))",
            ["(<= p a c)", "(<= p a d)", "(<= p b c)", "(<= p b d)"],
        ),
        ("(<= p (or a (or b c)))", ["(<= p a)", "(<= p b)", "(<= p c)"]),
        ("(<= p (or a))", ["(<= p a)"]),
        ("(<= p a (or))", []),
        ("(<= p (or (or) a))", ["(<= p a)"]),
        # not
        ("(<= p (not (not a)))", ["(<= p a)"]),
        ("(<= p (not (not (not a))))", ["(<= p (not a))"]),
        ("(<= p (not (or a b)))", ["(<= p (not a) (not b))"]),
        ("(<= p (not (or a (not b))))", ["(<= p (not a) b)"]),
        ("(<= p (not (or)) a)", ["(<= p a)"]),
        ("(<= p (not (or a (not (or b c)))))", ["(<= p (not a) b)", "(<= p (not a) c)"]),
        ("(<= p (or (not (or a b)) c))", ["(<= p (not a) (not b))", "(<= p c)"]),
        ("(<= p (not (distinct ?x a)) (q ?x))", ["(<= p (not (distinct ?x a)) (q ?x))"]),
        # parentheses around a name alone
        ("(<= (p) (q) (not (r)))", ["(<= p q (not r))"]),
        ("(<= ((p a)) ((q b)))", ["(<= (p a) (q b))"]),
        ("(terminal)", ["terminal"]),
        # inside `true` the term (p) is another than p
        ("(init (p))", ["(init (p))"]),
        # keywords in any case
        (
            "(<= (NEXT (cell ?X)) (TRUE (CELL ?X)) (Not (Does White x)) (OR (Distinct ?X b) (Q)))",
            [
                "(<= (next (cell ?X)) (true (CELL ?X)) (not (does White x)) (distinct ?X b))",
                "(<= (next (cell ?X)) (true (CELL ?X)) (not (does White x)) Q)",
            ],
        ),
        ("(SEES white (SEES x))", ["(sees white (SEES x))"]),
    ],
)
def test_the_normal_form(rule: str, expected: list[str]) -> None:
    assert rules(rule) == expected


def test_rules_keep_their_order() -> None:
    assert rules("(a 1) (<= (b 2) (or c d)) (a 3)") == [
        "(a 1)",
        "(<= (b 2) c)",
        "(<= (b 2) d)",
        "(a 3)",
    ]


def test_each_rule_knows_the_expression_it_was_made_from() -> None:
    terms = parse("(a)\n  (<= (b 2) (or c d))")
    made = normalise(terms, source=Source(""))
    assert [rule.source for rule in made] == [terms[0], terms[1], terms[1]]
    assert made[1].source is not None
    assert made[1].source.position == (2, 3)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(role x)\n()", 2, 1, "`()` is not a relation"),
        ("(<=)", 1, 1, "a rule without a head"),
        ("(<= p\n  (q) ())", 2, 7, "`()` is not a relation"),
        ("?x", 1, 1, "`?x` is not a relation"),
        ("(<= p ?x)", 1, 7, "`?x` is not a relation"),
        ("<=", 1, 1, "`<=` is not a relation"),
        ("(?x a)", 1, 1, "`?x` cannot name a relation"),
        ("((f x) y)", 1, 1, "`(f x)` cannot name a relation"),
        ("(<= p (<= q r))", 1, 7, "a rule inside a rule"),
        ("(<= p (not a b))", 1, 7, "`not` takes one condition, here it has 2"),
        ("(<= p (not))", 1, 7, "`not` takes one condition, here it has 0"),
        ("(<= p ((not q)))", 1, 8, "`not` is not a relation"),
        ("(<= (or a b) c)", 1, 5, "`or` cannot be defined"),
        ("(p (q ()))", 1, 7, "`()` is not a term"),
        ("(p (?f x))", 1, 4, "`(?f x)` is not a term"),
        ("(p ((f) x))", 1, 4, "`((f) x)` is not a term"),
    ],
)
def test_an_error_points_at_what_is_not_a_rule(
    text: str, line: int, column: int, message: str
) -> None:
    error = error_of(text)
    assert error.message == message
    assert (error.span.file, error.span.line, error.span.column) == ("game.kif", line, column)
    assert error.hint


def test_the_relation_of_an_atom_is_its_name_and_arity() -> None:
    assert relation_of(parse_term("(cell 1 ?y)")) == Relation("cell", 2)
    assert relation_of(parse_term("terminal")) == Relation("terminal", 0)


def test_canonical_terms_have_their_keywords_in_lower_case() -> None:
    assert str(canonical(parse_term("(f TRUE (Goal x) NOT Cell)"))) == "(f true (goal x) NOT Cell)"


class TestManyDisjunctions:
    """Where splitting would make too many rules, each disjunction becomes a relation."""

    def test_the_number_of_rules_stays_linear(self) -> None:
        either = " ".join(f"(or (a {i}) (b {i}))" for i in range(40))
        assert len(rules(f"(<= p {either})")) == 1 + 2 * 40

    def test_however_they_are_hidden(self) -> None:
        neither = " ".join(f"(not (or (a {i}) (b {i})))" for i in range(40))
        for text in (f"(<= p (not (or {neither})))", f"(<= p (or q (not (or {neither}))))"):
            assert len(rules(text)) <= 3 + 2 * 40

    def test_an_impossible_one_among_them_leaves_no_rule(self) -> None:
        either = " ".join(f"(or (a {i}) (b {i}))" for i in range(40))
        assert rules(f"(<= p {either} (or))") == []
        assert rules(f"(<= p (or q (not (or (not (or)) {either}))))") == ["(<= p q)"]

    def test_the_new_relations_carry_what_the_rest_of_the_rule_mentions(self) -> None:
        either = " ".join(f"(or (a ?x {i}) (b ?y ?local{i}))" for i in range(7))
        first = rules(f"(<= (p ?x) (q ?y) {either})")[0]
        names = " ".join(f"(or 0.{i} ?x ?y)" for i in range(7))
        assert first == f"(<= (p ?x) (q ?y) {names})"

    def test_the_new_rules_are_safe_where_the_rule_is(self) -> None:
        either = " ".join(f"(or (distinct ?x {i}) (not (a ?y {i})))" for i in range(7))
        for rule in normalise(parse(f"(<= p (q ?x) (r ?y) {either})"), source=Source("")):
            bound = {
                variable
                for literal in rule.body
                if literal.positive and literal.relation.name != "distinct"
                for variable in variables(literal.atom)
            }
            assert bound.issuperset(rule.variables())

    def test_their_names_cannot_be_symbols_of_a_rulesheet(self) -> None:
        either = " ".join(f"(or a{i} b{i})" for i in range(7))
        made = normalise(parse(f"(<= p {either}) (<= q {either})"), source=Source(""))
        names = {rule.relation.name for rule in made} - {"p", "q"}
        assert len(names) == 14
        assert all(" " in name for name in names)

    def test_deep_nesting_needs_no_deep_stack(self) -> None:
        alternating = "a"
        for number in range(45):
            alternating = f"(or (not (or (not {alternating}) c{number})) b{number})"
        chain = "a"
        for number in range(190):
            chain = f"(or {chain} b{number})"
        assert len(rules(f"(<= p {alternating})")) == 46
        assert len(rules(f"(<= p {chain})")) == 2 + 190

"""Every kind of finding, with what it means and how to fix it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ggp.gdl.normalise import UNDEFINABLE_HINT

__all__ = ["CODES", "Code", "Severity"]

#: An error makes the rulesheet no valid game; a warning marks what is probably a slip.
Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: what it means, and the sentence that says how to fix it."""

    severity: Severity
    meaning: str
    fix: str


def _error(meaning: str, fix: str) -> Code:
    return Code("error", meaning, fix)


def _warning(meaning: str, fix: str) -> Code:
    return Code("warning", meaning, fix)


#: Every kind of finding. `docs/checks.md` shows the same table.
CODES: Mapping[str, Code] = {
    # The form of the text.
    "syntax": _error(
        "the text is no KIF: a parenthesis is unbalanced, or terms nest too deep",
        "balance the parentheses",
    ),
    "foreign-syntax": _error(
        "the text is written in another language: Prolog, an arrow that is not `<=`, an `and`, "
        "variables without `?`",
        "write facts as (relation term ...) and rules as (<= head condition ...), with variables "
        "as ?x",
    ),
    "foreign-comment": _error(
        "a comment begins with `//`, `/*`, `#`, `%` or `--`",
        "begin each line of a comment with `;`",
    ),
    "lookalike-character": _error(
        "a character looks like a blank, a quotation mark, a parenthesis, a `?` or a `;`, and is "
        "another one",
        "replace it; word processors and web pages put such characters into a text",
    ),
    "not-a-relation": _error(
        "something that is no atom stands where a fact, a head or a condition belongs",
        "begin an atom with the name of its relation, as in (cell 1 2 b)",
    ),
    "not-a-term": _error(
        "a function term does not begin with its name",
        "begin a function term with its name, as in (move 1 2)",
    ),
    "nested-rule": _error(
        "a rule stands inside another statement",
        "close the parentheses of the statement before the rule begins",
    ),
    "rule-without-head": _error(
        "a rule has no head",
        "write (<= head condition ...)",
    ),
    "outer-parentheses": _warning(
        "one pair of parentheses stands around the whole rulesheet, as in a START message",
        "remove the first parenthesis and the last one: other programs cannot read them",
    ),
    "needless-parentheses": _warning(
        "parentheses stand around a single name",
        "drop the parentheses: some players cannot read them, or take (name) for another term",
    ),
    "empty-body": _warning(
        "a rule has no condition",
        "write it as a fact, or add the conditions that are missing",
    ),
    "negation-of-nonatom": _error(
        "something that is no plain atom is negated: another `not`, an `or`, a `distinct`",
        "give the negated condition a relation of its own and negate that",
    ),
    "nested-or": _warning(
        "a disjunction stands directly inside another",
        "list all alternatives in the outer `or`",
    ),
    "trivial-or": _warning(
        "a disjunction has one alternative or none",
        "drop the `or`, or add the alternatives that are missing",
    ),
    # What a game must have.
    "missing-role": _error(
        "no fact names a role",
        "add a fact (role name) for each player",
    ),
    "role-not-a-name": _error(
        "a role is a term with arguments",
        "give the role a single name, as in (role p1)",
    ),
    "missing-init": _warning(
        "nothing is true at the start: no `init`",
        "add a fact (init fact) for each fact of the initial state, if the game is not to begin "
        "with an empty one",
    ),
    "missing-legal": _error(
        "no role ever has a move: no `legal`",
        "add rules (<= (legal role move) condition ...)",
    ),
    "missing-terminal": _error(
        "the game never ends: no `terminal`",
        "add a rule (<= terminal condition ...)",
    ),
    "missing-goal": _error(
        "no role ever has a goal: no `goal`",
        "add rules (<= (goal role value) condition ...)",
    ),
    # The keywords in their places.
    "keyword-arity": _error(
        "a keyword has the wrong number of arguments",
        "give the keyword the arguments that the language prescribes",
    ),
    "keyword-as-function": _error(
        "a keyword names a function",
        "rename the function, or close a parenthesis before it",
    ),
    "keyword-as-constant": _error(
        "`<=`, `not`, `or` or `distinct` stands alone, as if it were a constant",
        "open a parenthesis before it, or rename the constant",
    ),
    "keyword-as-object": _warning(
        "the name of a keyword relation is used as an object",
        "rename the object: some players take it for the keyword",
    ),
    "keyword-in-head": _error(
        "a fact or a rule defines what cannot be defined: `true`, `does`, `not`, `or`, `distinct`; "
        "or a rule defines `role`",
        UNDEFINABLE_HINT,
    ),
    "keyword-in-body": _error(
        "a condition asks for `init`, `next`, `base` or `input`",
        "ask for a relation of your own that both rules share",
    ),
    "next-in-sees": _warning(
        "a rule for what a role sees asks for `next`, which GDL-II leaves open",
        "ask for what the rules for `next` ask for: some players cannot read this",
    ),
    "depends-on-true": _error(
        "`init`, `base` or `input` depends on the state",
        "derive it from relations that are the same in every state",
    ),
    "depends-on-does": _error(
        "`init`, `base`, `input`, `legal`, `goal` or `terminal` depends on the moves",
        "let `next` record what was done in a fact, and ask for that fact by `true`",
    ),
    # Variables, recursion, negation.
    "variable-in-fact": _error(
        "a variable stands outside a rule",
        "name the object, or write a rule whose conditions give the variable its values",
    ),
    "unsafe-variable": _error(
        "a variable of the head, of a `not` or of a `distinct` stands in no positive condition",
        "add a positive condition that gives the variable its values, in every branch of an `or`",
    ),
    "recursion-restriction": _error(
        "a recursive condition has a term that may grow without end",
        "bind the term by a condition outside the recursion, or let it stand in the head as it is",
    ),
    "unstratified": _error(
        "an atom depends on its own negation",
        "break the cycle: decide one of its relations without the others",
    ),
    # Names.
    "two-arities": _error(
        "one name has two numbers of arguments",
        "give it the same number of arguments everywhere, or use two names",
    ),
    "two-capitalisations": _error(
        "one name is written in two capitalisations",
        "write it in the same way everywhere: some players heed the case and some do not",
    ),
    "odd-characters": _warning(
        "a name has characters other than letters, digits, `_`, `.`, `+` and `-`",
        "rename it: some players cannot read these characters",
    ),
    "undefined-relation": _warning(
        "a relation is used that no fact and no rule defines",
        "define it, or correct the spelling; as it stands, it never holds",
    ),
    "undefined-fact": _warning(
        "`true` asks for a fact by a name that neither `init` nor `next` gives",
        "give the fact by `init` or `next`, or correct the spelling; as it stands, it never holds",
    ),
    "initial-only-fact": _warning(
        "`true` asks for a fact that `init` gives and no `next`, though other facts have rules for "
        "`next`: it is true in the first state only",
        "add a rule (<= (next fact) condition ...) that gives it anew or keeps it; what is the "
        "same in every state needs neither `init` nor `true`",
    ),
    "no-frame-rule": _warning(
        "each rule for `next` of a fact gives only what a move names, and initially there are more "
        "such facts: the others are lost with the first move",
        "add a rule (<= (next fact) (true fact) condition ...) that keeps what no move changes",
    ),
    "narrow-frame-rule": _warning(
        "the only rule for `next` that keeps a fact has several `distinct` between its arguments "
        "and those of a move",
        "write (or (distinct ?x ?u) (distinct ?y ?v)) if any other cell is meant",
    ),
    "undefined-move": _warning(
        "`does` asks for a move by a name that no `legal` gives",
        "make the move legal, or correct the spelling; as it stands, no player ever does it",
    ),
    "unused-relation": _warning(
        "a relation is defined that no condition uses",
        "use it, or remove it",
    ),
    "relation-and-function": _warning(
        "one name is both a relation and a function",
        "use two names; a fact of the state must be asked for by `true`",
    ),
    "misspelt-variable": _warning(
        "a variable stands once in the rulesheet and nearly has the name of another in its rule",
        "write both in the same way, or give them names that differ more",
    ),
    "misspelt-constant": _warning(
        "a name stands once in the rulesheet, and a name that is nearly the same stands often at "
        "such a place",
        "correct the spelling, or give it a name that differs more",
    ),
    "forgotten-question-mark": _warning(
        "a constant of a rule has the name of a variable of the rule, and is nothing elsewhere",
        "write it with a `?`, or give the variable another name",
    ),
    # Conditions that decide nothing.
    "impossible-constant": _warning(
        "a condition asks for a constant that no fact and no rule gives at this place",
        "correct the spelling, or give the constant by a fact or a rule; as it stands, the "
        "condition never holds",
    ),
    "never-fires": _warning(
        "two conditions of a rule share a variable, but no value that fits both",
        "ask for the other relation or the other argument; as it stands, the rule never applies",
    ),
    "contradiction": _warning(
        "a term is to be distinct from itself, or a condition is to hold and not to hold",
        "correct the condition; as it stands, the rule never applies",
    ),
    "idle-condition": _warning(
        "a `distinct` compares terms that are always distinct",
        "remove the condition, or correct its terms",
    ),
    "loose-condition": _warning(
        "a condition holds for each value that its other variable can have, as one of its "
        "variables stands only there; another variable that stands once takes the same values",
        "write one variable in place of the two, or remove the condition",
    ),
    "duplicate-condition": _warning(
        "a rule has a condition twice",
        "remove one of them, or correct it",
    ),
    "duplicate-statement": _warning(
        "a fact or a rule says what another one says already",
        "remove one of them, or correct it",
    ),
    # Roles and goals.
    "unknown-role": _warning(
        "`legal`, `does`, `goal`, `input` or `sees` names something that is no role",
        "name one of the roles, or add the fact (role name)",
    ),
    "role-without-move": _error(
        "no rule can ever give a role a legal move",
        "add a rule (<= (legal role move) condition ...) for this role; a role with nothing to "
        "decide needs a move such as noop",
    ),
    "role-without-goal": _error(
        "no rule can ever give a role a goal",
        "add a rule (<= (goal role value) condition ...) for this role",
    ),
    "two-goals": _warning(
        "one role gets two goals at once: all conditions of one rule stand in the other",
        "add a condition that keeps the rules apart, or remove one of them",
    ),
    "goal-value": _error(
        "a goal is no integer from 0 to 100",
        "give an integer from 0 to 100",
    ),
    # Declarations.
    "no-base": _warning(
        "the game declares no `base`",
        "declare the facts that a state may hold by (base fact): some players need them",
    ),
    "no-input": _warning(
        "the game declares no `input`",
        "declare the moves that a role may have by (input role move): some players need them",
    ),
    "base-misses-fact": _warning(
        "`init` or `next` gives a fact that `base` does not declare",
        "declare the fact by `base`",
    ),
    "input-misses-move": _warning(
        "`legal` gives a move that `input` does not declare",
        "declare the move by `input`",
    ),
    # What proofs refute.
    "refuted-begins": _error(
        "with `--prove`: the game is over in the initial state",
        "let no rule for `terminal` hold at first: is a condition missing?",
    ),
    "refuted-playable": _error(
        "with `--prove`: a play leads to a state that is no end, and a role has no move there",
        "give the role a legal move there, such as noop, or let the game end",
    ),
    "refuted-goals": _error(
        "with `--prove`: a play ends, and a role has no goal then, or several",
        "let exactly one goal rule of the role apply in each terminal state",
    ),
    "refuted-ends": _warning(
        "with `--prove`: a play may go on for ever",
        "count the steps in a fact of the state, and let `terminal` hold at the last one",
    ),
    "refuted-one-content": _warning(
        "with `--prove`: a cell has two contents in some state",
        "let the old content go where a rule for `next` gives a new one",
    ),
    "refuted-winnable": _warning(
        "with `--prove`: a role can never have its best goal",
        "is a rule for `next` missing, or does a rule for `terminal` or `goal` hold too early? If "
        "it is meant, switch this off by `; ggp: ignore[refuted-winnable]`",
    ),
    "refuted-keeps-content": _warning(
        "with `--prove`: a cell has no content in some state, and initially every cell has one",
        "let a rule for `next` keep the content of each cell that does not change",
    ),
    # Comments that switch findings off.
    "unknown-suppression": _warning(
        "a comment switches off a finding that does not exist",
        "name a finding of this list, as in `; ggp: ignore[unused-relation]`",
    ),
    "unused-suppression": _warning(
        "a comment switches off a finding that is not there, or is an error",
        "remove the comment",
    ),
}

"""Comments that switch warnings off, and what is wrong with them."""

from __future__ import annotations

import pytest

from ggp.gdl.check import check
from tests.gdl.sheets import GAME, LINES, codes_of, with_line

ODD = "(succ 3 four!)"


@pytest.mark.parametrize(
    "lines",
    [
        f"{ODD} ; ggp: ignore[odd-characters]",
        f"{ODD} ;ggp:ignore[ odd-characters ]",
        f"{ODD} ;; why; ggp: ignore[odd-characters]",
        f"; ggp: ignore[odd-characters]\n{ODD}",
        f"; ggp: ignore[odd-characters]\n; and why\n\n{ODD}",
        f"{ODD}\n; ggp: ignore-file[odd-characters]",
        f"(succ 3 4! ; ggp: ignore[odd-characters]\n)\n{ODD} ; ggp: ignore[odd-characters]",
    ],
)
def test_a_comment_switches_a_warning_off(lines: str) -> None:
    assert check(with_line(lines)) == []


def test_a_comment_is_for_its_line_only() -> None:
    found = check(with_line(f"{ODD} ; ggp: ignore[odd-characters]\n(succ 3 five!)"))
    assert [(f.code, f.span.line) for f in found] == [("odd-characters", LINES + 2)]


def test_one_comment_may_name_several_codes() -> None:
    both = "(<= (unused! ?n) (succ ?m ?n))"
    assert codes_of(check(with_line(both))) == {"odd-characters", "unused-relation"}
    text = f"{both} ; ggp: ignore[odd-characters, unused-relation]"
    assert check(with_line(text)) == []


def test_warnings_about_the_whole_game_belong_to_the_first_line_or_the_file() -> None:
    text = "".join(line for line in GAME.splitlines(keepends=True) if "(base" not in line)
    assert codes_of(check(text)) == {"no-base"}
    assert check(f"; ggp: ignore-file[no-base]\n{text}") == []
    first, rest = text.split("\n", 1)
    assert check(f"{first} ; ggp: ignore[no-base]\n{rest}") == []


def test_errors_cannot_be_switched_off() -> None:
    found = check(with_line("(goal white 101) ; ggp: ignore[goal-value]"))
    assert [f.code for f in found if f.severity == "error"] == ["goal-value"]
    assert any(f.code == "unused-suppression" and "error" in f.message for f in found)


def test_a_comment_that_switches_nothing_off_is_found() -> None:
    (finding,) = check(with_line("(succ 3 4) ; ggp: ignore[odd-characters]"))
    assert finding.code == "unused-suppression"
    assert (finding.span.line, finding.span.column) == (LINES + 1, 26)
    assert finding.end == (LINES + 1, 40)


def test_an_unknown_code_is_found_with_the_closest_one() -> None:
    text = with_line(f"{ODD} ; ggp: ignore[odd-charcters]")
    unknown = next(f for f in check(text) if f.code == "unknown-suppression")
    assert "did you mean `odd-characters`?" in unknown.hint
    assert unknown.fix is not None
    assert check(unknown.fix.apply(text)) == []


def test_the_words_elsewhere_are_no_suppression() -> None:
    found = check(with_line("(succ 3 ggp:ignore[odd-characters])"))
    assert codes_of(found) == {"odd-characters"}


@pytest.mark.parametrize("text", ["(role x", "role(x).", "(role x)\n(=> (legal ?r a) (role ?r))"])
def test_nothing_is_unused_where_not_everything_could_be_checked(text: str) -> None:
    found = codes_of(check(f"; ggp: ignore[two-goals, nonsense]\n{text}"))
    assert "unused-suppression" not in found
    assert "unknown-suppression" in found

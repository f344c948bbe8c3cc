"""Reading aspif is compared with reading its lines in Python."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.compiler.grounding.aspif import scan

atoms = st.integers(1, 2**31 - 1)
signed = st.builds(lambda atom, sign: atom * sign, atoms, st.sampled_from((1, -1)))
lines = st.one_of(
    st.builds(
        lambda head, body: f"1 0 1 {head} 0 {' '.join(map(str, [len(body), *body]))}",
        atoms,
        st.lists(signed, max_size=5),
    ),
    st.builds(lambda atom: f"5 {atom} 2", atoms),
    st.builds(lambda atom: f"4 4 t(1) 1 {atom}", atoms),
    st.sampled_from(("asp 1 0 0", "0", "4 1 e 0", "10 what is not known", "")),
)


@given(st.lists(lines, max_size=30))
def test_lines_are_read_as_in_python(text: list[str]) -> None:
    words = [line.split() for line in text]
    rules = [list(map(int, line[3:])) for line in words if line[:1] == ["1"]]
    given_atoms = [int(line[1]) for line in words if line[:1] == ["5"]]
    found = scan("".join(line + "\n" for line in text).encode())
    assert found.heads.tolist() == [rule[0] for rule in rules]
    assert found.lengths.tolist() == [rule[2] for rule in rules]
    assert found.literals.tolist() == [literal for rule in rules for literal in rule[3:]]
    assert found.externals.tolist() == given_atoms
    mentioned = [abs(n) for rule in rules for n in (rule[0], *rule[3:])] + given_atoms
    assert found.atoms == max(mentioned, default=0)
    starts = [sum(len(line) + 1 for line in text[:i]) for i in range(len(text))]
    assert found.names.tolist() == [
        start for start, line in zip(starts, words, strict=True) if line[:1] == ["4"]
    ]

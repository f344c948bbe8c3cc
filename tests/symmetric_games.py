"""Random games that a permutation of their cells leaves as they are, and others."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

__all__ = ["Marking", "markings"]


@dataclass(frozen=True)
class Marking:
    """Two roles mark cells in turn; the first with all cells of one of its lines ends the game."""

    #: Where the symmetry moves each cell.
    images: tuple[int, ...]
    #: For each role its lines, closed under the symmetry.
    lines: tuple[frozenset[frozenset[int]], ...]
    #: What both roles get for a line of the first, for one of the second, and for none.
    goals: tuple[tuple[int, int], ...]

    def rules(self) -> str:
        cells = range(len(self.images))
        text = ["(role x) (role y) (init (turn x)) (other x y) (other y x)"]
        text += [f"(cell {cell})" for cell in cells]
        for role, lines in zip("xy", self.lines, strict=True):
            text += [
                f"(<= (line {role}) {' '.join(f'(true (mark {c} {role}))' for c in sorted(line))})"
                for line in sorted(lines, key=sorted)
            ]
        text.append("""
            (<= (marked ?c) (true (mark ?c ?r)))
            (<= free (cell ?c) (not (marked ?c)))
            (<= (legal ?r (put ?c)) (true (turn ?r)) (cell ?c) (not (marked ?c)))
            (<= (legal ?r wait) (other ?r ?o) (true (turn ?o)))
            (<= (next (mark ?c ?r)) (true (mark ?c ?r)))
            (<= (next (mark ?c ?r)) (does ?r (put ?c)))
            (<= (next (turn ?r)) (other ?r ?o) (true (turn ?o)))
            (<= lined (line ?r))
            (<= terminal lined)
            (<= terminal (not free))
        """)
        for end, goals in zip(("(line x)", "(line y)", "(not lined)"), self.goals, strict=True):
            text += [
                f"(<= (goal {role} {goal}) {end})" for role, goal in zip("xy", goals, strict=True)
            ]
        return "\n".join(text)


@st.composite
def markings(draw: st.DrawFn, *, cells: int = 6) -> Marking:
    """Draw a game with a symmetry that moves at least two cells."""
    count = draw(st.integers(3, cells))
    identity = tuple(range(count))
    images = draw(st.permutations(identity).map(tuple).filter(lambda drawn: drawn != identity))
    lines: list[frozenset[frozenset[int]]] = []
    for _ in "xy":
        closed = set[frozenset[int]]()
        for line in draw(st.lists(st.sets(st.sampled_from(identity), min_size=2), max_size=3)):
            image = frozenset(line)
            while image not in closed:
                closed.add(image)
                image = frozenset(images[cell] for cell in image)
        lines.append(frozenset(closed))
    goal = st.sampled_from([0, 30, 50, 70, 100])
    goals = draw(st.tuples(*[st.tuples(goal, goal)] * 3))
    return Marking(images, tuple(lines), goals)

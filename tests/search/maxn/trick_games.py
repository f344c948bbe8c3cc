"""Trick-taking games of any size, three roles, written so that nothing but the rules counts.

And one in which points are given, with more ways to end than a word has bits.
"""

from __future__ import annotations

ROLES = ("ann", "bob", "cid")


def _common(tricks: int) -> str:
    cards = range(1, 3 * tricks + 1)
    lines = [f"(role {role})" for role in ROLES]
    lines += [f"(follows {role} {ROLES[(i + 1) % 3]})" for i, role in enumerate(ROLES)]
    lines += [f"(init (hand {ROLES[card % 3]} c{card}))" for card in cards]
    lines += [f"(init (took {role} 0))" for role in ROLES]
    lines += [f"(succ {n} {n + 1})" for n in range(tricks + 1)]
    lines += [f"(score {n} {10 * n})" for n in range(tricks + 1)]
    lines += [f"(greater c{high} c{low})" for high in cards for low in cards if low < high]
    lines += [
        """
        (<= (next (hand ?p ?c)) (true (hand ?p ?c)) (not (does ?p ?c)))
        (<= (beaten ?p) (shown ?p ?c) (shown ?q ?d) (greater ?d ?c))
        (<= (next (took ?p ?m)) (true (took ?p ?n)) (wins ?p) (succ ?n ?m))
        (<= (next (took ?p ?n)) (true (took ?p ?n)) (not (wins ?p)))
        (<= (goal ?p ?g) (true (took ?p ?n)) (score ?n ?g))
        """
    ]
    return "\n".join(lines)


def all_at_once(tricks: int) -> str:
    """All show a card at the same time, and the tricks are counted."""
    return (
        _common(tricks)
        + f"""
        (init (done 0))
        (<= (legal ?p ?c) (true (hand ?p ?c)))
        (<= (shown ?p ?c) (does ?p ?c))
        (<= (wins ?p) (role ?p) (not (beaten ?p)))
        (<= (next (done ?m)) (true (done ?n)) (succ ?n ?m))
        (<= terminal (true (done {tricks})))
        """
    )


def given_away(points: int) -> str:
    """One after the other gives a point to someone, and all want to have three."""
    lines = [f"(role {role}) (init (has {role} 0))" for role in ROLES]
    lines += [f"(follows {role} {ROLES[(i + 1) % 3]})" for i, role in enumerate(ROLES)]
    lines += [f"(succ {n} {n + 1}) (score {n} {30 - abs(n - 3)})" for n in range(points + 1)]
    lines.append(
        f"""
        (init (turn 0)) (init (control ann))
        (<= (legal ?p ?q) (true (control ?p)) (role ?q))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (gets ?q) (does ?p ?q) (true (control ?p)))
        (<= (next (has ?q ?m)) (true (has ?q ?n)) (gets ?q) (succ ?n ?m))
        (<= (next (has ?q ?n)) (true (has ?q ?n)) (not (gets ?q)))
        (<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
        (<= (next (control ?q)) (true (control ?p)) (follows ?p ?q))
        (<= terminal (true (turn {points})))
        (<= (goal ?p ?g) (true (has ?p ?n)) (score ?n ?g))
        """
    )
    return "\n".join(lines)


def in_turn(tricks: int) -> str:
    """One after the other, the winner of a trick leads, and no rule counts the tricks."""
    return (
        _common(tricks)
        + """
        (init (control ann))
        (<= (legal ?p ?c) (true (control ?p)) (true (hand ?p ?c)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (shown ?p ?c) (true (table ?p ?c)))
        (<= (shown ?p ?c) (does ?p ?c) (true (hand ?p ?c)))
        (<= third (true (table ?p ?c)) (true (table ?q ?d)) (distinct ?p ?q))
        (<= (wins ?p) third (role ?p) (not (beaten ?p)))
        (<= (next (table ?p ?c)) (shown ?p ?c) (not third))
        (<= (next (control ?p)) (wins ?p))
        (<= (next (control ?q)) (true (control ?p)) (follows ?p ?q) (not third))
        (<= playing (true (hand ?p ?c)))
        (<= playing (true (table ?p ?c)))
        (<= terminal (not playing))
        """
    )

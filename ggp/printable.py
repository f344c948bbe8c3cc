"""Text that is safe to show on a terminal."""

from __future__ import annotations

__all__ = ["printable"]

_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}


def printable(text: str) -> str:
    r"""Return a text with a visible character in place of each control character.

    >>> printable("a\x1b[2J\n")
    'a␛[2J␊'
    """
    return text.translate(_PICTURES)

"""Text that is safe to show: on a terminal, and as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["cells", "figure", "preformatted", "printable", "table"]

_LEFT = ' style="text-align:left"'
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


def cells(values: Iterable[object], *, tag: str = "td") -> str:
    """Return one row of a table; texts are escaped, None is a dash."""
    texts = ("-" if value is None else escape(str(value)) for value in values)
    return f"<tr>{''.join(f'<{tag}{_LEFT}>{text}</{tag}>' for text in texts)}</tr>"


def table(head: Sequence[object], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """Return a table.

    >>> "<td" in table(["a"], [["<b>"]]), "&lt;b&gt;" in table(["a"], [["<b>"]])
    (True, True)
    """
    title = f"<caption{_LEFT}>{escape(caption)}</caption>" if caption else ""
    body = "".join(map(cells, rows))
    return f"<table>{title}<thead>{cells(head, tag='th')}</thead><tbody>{body}</tbody></table>"


def preformatted(text: str) -> str:
    """Return text with its line breaks."""
    return f"<pre>{escape(text)}</pre>"


def figure(content: str, caption: str) -> str:
    """Return HTML with a caption; several of them stand side by side."""
    return (
        '<figure style="display:inline-block;vertical-align:top;margin:0 1em 1em 0">'
        f"{content}<figcaption>{escape(caption)}</figcaption></figure>"
    )

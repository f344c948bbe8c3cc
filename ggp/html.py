"""Small pieces of HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["cells", "figure", "preformatted", "table"]

_LEFT = ' style="text-align:left"'


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

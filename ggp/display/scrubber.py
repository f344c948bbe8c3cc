"""A match in a notebook, with a slider from its first state to its last.

It is plain HTML: it works in every notebook that shows HTML, and in what nbconvert makes of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["scrubber"]

# Run by the slider: shows the picture of its value.
_SHOW = (
    "const n=+this.value;"
    "this.closest('[data-match]').querySelectorAll('figure')"
    ".forEach((f,i)=>{f.style.display=i==n?'':'none'})"
)
# Run by the buttons: moves the slider.
_GO = "const s=this.parentNode.querySelector('input');s.value=+s.value{};s.oninput()"
_BUTTONS = (("first", "⏮", "*0"), ("previous", "◀", "-1"))
_MORE_BUTTONS = (("next", "▶", "+1"), ("last", "⏭", "*0+1e6"))


def scrubber(pictures: Sequence[str], captions: Sequence[str]) -> str:
    """Return the pictures, one at a time, with a slider and buttons.

    Args:
        pictures: HTML or SVG, at least one.
        captions: a text for each picture.
    """
    figures = "".join(
        f'<figure style="margin:0{";display:none" if number else ""}">'
        f"{picture}<figcaption>{escape(caption)}</figcaption></figure>"
        for number, (picture, caption) in enumerate(zip(pictures, captions, strict=True))
    )
    slider = (
        f'<input type="range" min="0" max="{len(pictures) - 1}" value="0" step="1" '
        f'aria-label="state of the match" style="width:16em;vertical-align:middle" '
        f'oninput="{_SHOW}">'
    )
    before, after = ("".join(map(_button, each)) for each in (_BUTTONS, _MORE_BUTTONS))
    return f"<div data-match><div>{before}{slider}{after}</div>{figures}</div>"


def _button(parts: tuple[str, str, str]) -> str:
    name, sign, change = parts
    texts = f'aria-label="{name} state" title="{name} state"'
    return f'<button type="button" {texts} onclick="{_GO.format(change)}">{sign}</button>'

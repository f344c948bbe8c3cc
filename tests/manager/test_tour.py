"""The tour in docs/manager.md has the pictures that `make screenshots` takes."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from tests.manager.screenshots import PICTURES

DOCS = Path(__file__).parents[2] / "docs"
#: Of all pictures together.
MOST_BYTES = 500_000


def test_the_tour_shows_all_pictures_and_no_others() -> None:
    shown = re.findall(r"!\[.+\]\(pictures/(\w+)\.webp\)", (DOCS / "manager.md").read_text())
    assert shown == list(PICTURES)
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == set(PICTURES)


def test_pictures_are_small() -> None:
    paths = [DOCS / "pictures" / f"{name}.webp" for name in PICTURES]
    assert sum(path.stat().st_size for path in paths) < MOST_BYTES
    for path in paths:
        with Image.open(path) as picture:
            assert picture.width <= 1200

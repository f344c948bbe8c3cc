"""The notebooks in `examples/notebooks/` run from top to bottom, and show what they speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"

#: What the cells of each notebook must show, in this order.
SHOWN = {
    "play_and_look": ["x moves", "completed, goals", 'type="range"', "x gets 50, proven"],
    "batches": [
        "<1000 states of connectfour>",
        "joint moves; mean goals",
        "(drop 1) ",
        "(disc ? ? red)",
        "(7, 4, 6, 7)",
        "[0, 0, 0, 1, 0, 0, 0]",
        "games finished",
    ],
    "leaf_values": [
        "of level 1: 676 rows",
        "of level 2: 7 rows",
        "constant sum: False",
        "none (95, 95) 971 states expanded",
    ],
}


def test_every_notebook_is_run_and_stored_without_output() -> None:
    nbformat = pytest.importorskip("nbformat")
    notebooks = {path.stem: path for path in NOTEBOOKS.glob("*.ipynb")}
    assert notebooks.keys() == SHOWN.keys()
    for path in notebooks.values():
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path


@pytest.mark.long
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name: str) -> None:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("nbclient").NotebookClient
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [each for each in outputs if each.get("name") == "stderr"]
    text = "\n".join(
        "\n".join(map(str, each["data"].values())) if "data" in each else each["text"]
        for each in outputs
    )
    place = 0
    for expected in SHOWN[name]:
        place = text.find(expected, place)
        assert place >= 0, expected

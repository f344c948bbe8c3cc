"""The benchmark of clusters runs; the tests do not depend on its values."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.cluster.command import command, lines
from benchmarks.cluster.measuring import Driver, Figures, Share, Throughput
from benchmarks.figures import BEGIN, END

DOCS = Path(__file__).parents[2] / "docs"

#: Figures with simple numbers: a worker loses a tenth of a second between two matches.
FIGURES = Figures(
    cluster_seconds=3,
    first_seconds=4,
    share=Share(workers=10, nodes=2, matches=100, seconds=1, wall_seconds=11),
    driver=Driver(submitted=2000, handling=0.002, storing=0.001, looking=0.003),
    throughput=(Throughput("Ray", 1, 1000), Throughput("Ray", 2, 1900)),
)


def test_the_share_of_play_is_that_of_all_workers() -> None:
    assert FIGURES.share.play == pytest.approx(100 / 110)


def test_on_paper_the_driver_or_the_workers_lose_the_time() -> None:
    assert FIGURES.driver.seconds == pytest.approx(0.006)
    # a thousand cores end a thousand matches a second, and the driver takes 1 / 0.006
    assert FIGURES.estimate(1) == pytest.approx(1 / 6)
    assert FIGURES.estimate(60) == pytest.approx(60 / 60.1)
    assert FIGURES.estimate(1, cores=16) == pytest.approx(1 / 1.1)
    assert FIGURES.estimate(3, cores=500) == pytest.approx(3 / 3.1)


def test_the_figures_as_tables() -> None:
    text = "\n".join(lines(FIGURES))
    assert "| share of play in the time of these workers | 90.9% |" in text
    assert "| Ray | 2 | 1,900 | 1.90 |" in text
    assert "| of 60 s | 99.8% |" in text


def test_the_page_of_the_docs_has_a_place_for_figures() -> None:
    page = (DOCS / "cluster.md").read_text().splitlines()
    assert page.count(BEGIN) == page.count(END) == 1


@pytest.mark.long
def test_it_measures_and_writes_a_page(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    page = tmp_path / "page.md"
    page.write_text(f"# Clusters\n\n{BEGIN}\nold figures\n{END}\n\nThe end.\n")
    sizes = {
        "workers": 2,
        "nodes": 1,
        "matches": 4,
        "seconds": 0.1,
        "submitted": 3,
        "playouts": 100,
    }
    given = [f"--{name}={size}" for name, size in sizes.items()]
    finished = CliRunner().invoke(command, [*given, "--write", str(page)], catch_exceptions=False)
    assert finished.exit_code == 0, finished.output
    written = page.read_text()
    assert "old figures" not in written
    assert written.startswith("# Clusters\n")
    assert written.endswith("The end.\n")
    assert "| 4 matches of 0.1 s by 2 workers |" in written


def test_nodes_without_workers_are_refused() -> None:
    finished = CliRunner().invoke(command, ["--workers", "2", "--nodes", "4"])
    assert finished.exit_code == 2
    assert "the nodes share the workers equally" in finished.output


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    monkeypatch.delitem(sys.modules, "ray.cluster_utils", raising=False)
    finished = CliRunner().invoke(command, [])
    assert finished.exit_code == 1
    assert "is not installed: pip install 'ggp[cluster]'" in finished.output


def test_a_page_without_a_place_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Clusters\n")
    finished = CliRunner().invoke(command, ["--write", str(page)])
    assert finished.exit_code == 2
    assert "has no lines" in finished.output
    assert page.read_text() == "# Clusters\n"

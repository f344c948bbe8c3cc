"""The classifiers that the experiment compares, and how their bars are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log10
from typing import TYPE_CHECKING

from ggp.search import MaxNOptions

if TYPE_CHECKING:  # an extra
    from matplotlib.axes import Axes

__all__ = ["CLASSIFIERS", "draw_bars", "fit_to_bars"]

#: Bars of which one is this many times as high as another need a logarithmic axis.
_FAR_APART = 50

#: By name, the options of a search with the classifier.
CLASSIFIERS = {
    "sum": MaxNOptions(classifier="sum"),
    "linear": MaxNOptions(classifier="linear"),
    "discrete": MaxNOptions(classifier="linear", discrete=True),
    "hull": MaxNOptions(classifier="hull"),
    "literal": MaxNOptions(classifier="lvt", row_filter="literal"),
    "upper": MaxNOptions(classifier="lvt", row_filter="upper"),
    "exact": MaxNOptions(classifier="lvt", row_filter="exact"),
}


def draw_bars(axes: Axes, heights: Mapping[str, Sequence[float]], groups: Sequence[str]) -> None:
    """Draw a group of bars for each name of `groups`, in each a bar for every classifier.

    Args:
        axes: where to draw.
        heights: by classifier, the heights of its bars, one for each group.
        groups: the names of the groups.
    """
    width = 1 / (len(heights) + 1)
    for number, (name, of_classifier) in enumerate(heights.items()):
        left = width * (number - (len(heights) - 1) / 2)
        axes.bar([place + left for place in range(len(groups))], of_classifier, width, label=name)
    axes.set_xticks(range(len(groups)), groups)


def fit_to_bars(axes: Axes) -> None:
    """Let the axis begin below all bars, so that their heights can be compared.

    It begins at 0. If some bars are far higher than others, it is logarithmic, and begins at a
    power of ten.
    """
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import StrMethodFormatter

    bars = (bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle))
    heights = [height for height in bars if height > 0]
    if heights and max(heights) > _FAR_APART * min(heights):
        axes.set_yscale("log")
        axes.set_ylim(bottom=10 ** (ceil(log10(min(heights))) - 1))
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))

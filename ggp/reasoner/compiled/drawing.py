"""Draws a small circuit: inputs at the left, results at the right, gates in between by depth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from ggp.reasoner.compiled.circuit.circuit import TRUE, Circuit
from ggp.reasoner.compiled.circuit.layers import place
from ggp.reasoner.compiled.measures import PHASES, Phase, levels, measure, outputs, phases

__all__ = ["LARGEST_DRAWING", "draw"]

#: A drawing of more gates than this shows nothing any more.
LARGEST_DRAWING = 400

#: Pixels: a gate's width and height, the room that gates, terms and passing wires take, the width
#: of a letter, and the distance between two layers: at least, and for each wire that goes across.
_GATE = 16.0
_ROOM, _TERM_ROOM, _WIRE_ROOM = 24.0, 17.0, 7.0
_LETTER = 6.7
_GAP, _GAP_PER_WIRE, _WIDEST_GAP = 48.0, 0.9, 110.0
_MARGIN, _TOP = 16.0, 72.0
_LONGEST_LABEL = 44

_LEGEND = {"view": "legal moves, terminal", "goals": "goals", "next": "next state"}

# What XML cannot hold.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2933",
    "note": "#5f6b78",
    "wire": "#9aa6b3",
    "view": "#1f6fb2",
    "goals": "#b7561c",
    "next": "#2f7d4f",
}
_DARK = {
    "paper": "#14181d",
    "ink": "#e3e8ee",
    "note": "#98a4b1",
    "wire": "#5d6874",
    "view": "#6db3ee",
    "goals": "#f0a36b",
    "next": "#74cf98",
}


def draw(circuit: Circuit) -> str:
    """Return a drawing of a circuit as SVG, for light and dark paper.

    A gate is AND; a small circle on a wire is NOT. A loop is cut open: its latches stand at the
    left, and what drives them at the right.

    Raises:
        ValueError: the circuit has more than `LARGEST_DRAWING` gates.
    """
    gates = measure(circuit).gates
    if gates > LARGEST_DRAWING:
        raise ValueError(f"{gates:,} gates are too many to draw: at most {LARGEST_DRAWING}")
    plan = _Plan.of(circuit)
    return _Picture(plan).svg(_legend(circuit))


@dataclass(slots=True)
class _Item:
    """Something that stands in a layer: an input, a gate, a result, or a wire on its way."""

    layer: int
    label: str = ""
    phase: Phase | None = None
    is_gate: bool = False
    #: The items in the layer before that it takes a value from, and whether it is negated.
    takes: list[tuple[int, bool]] = field(default_factory=list)

    @property
    def is_wire(self) -> bool:
        return not self.is_gate and not self.label


@dataclass(slots=True)
class _Plan:
    """All items and the wires between them."""

    items: list[_Item]
    layers: list[list[int]]

    @classmethod
    def of(cls, circuit: Circuit) -> _Plan:
        """Put the inputs into the first layer, gates by their depth, results into the last."""
        level, phase = levels(circuit), phases(circuit)
        last = max((level[node] for node in phase), default=0) + 1
        drivers = {node: own for node, own in _drivers(circuit).items() if node in phase}
        names = dict(enumerate(_input_names(circuit), start=1))
        names |= {node: f"latch {node}" for node in drivers}
        gates = [node for node in phase if node not in drivers]
        if (circuit.gates[gates] <= TRUE).any():
            names[0] = "false"
        items: list[_Item] = []
        item_of: dict[int, int] = {}
        for node in sorted({*names, *phase}):
            item_of[node] = len(items)
            label = names.get(node, "")
            is_gate = node not in names
            items.append(_Item(level[node], label, phase.get(node), is_gate))
            if is_gate:
                items[-1].takes = [
                    (item_of[x >> 1], bool(x & 1)) for x in circuit.gates[node].tolist()
                ]
        driven = [(f"latch {n}, next round", driver, phase[n]) for n, driver in drivers.items()]
        for label, literal, own in [*_results(circuit), *driven]:
            if literal > TRUE:
                takes = [(item_of[literal >> 1], bool(literal & 1))]
                items.append(_Item(last, label, own, takes=takes))
            else:
                items.append(_Item(last, f"{label}: {'always' if literal else 'never'}", own))
        plan = cls(items, [[] for _ in range(last + 1)])
        plan._lead_wires()
        for number, item in enumerate(items):
            plan.layers[item.layer].append(number)
        return plan

    def _lead_wires(self) -> None:
        """Lead the wires from layer to layer; those of the same value are one as far as can be."""
        ways: dict[int, list[int]] = {}
        for item in list(self.items):
            for k, (source, negated) in enumerate(item.takes):
                way = ways.setdefault(source, [source])
                while self.items[way[-1]].layer < item.layer - 1:
                    begin = self.items[way[-1]]
                    takes = [(way[-1], False)]
                    phase = begin.phase
                    self.items.append(_Item(begin.layer + 1, phase=phase, takes=takes))
                    way.append(len(self.items) - 1)
                item.takes[k] = (way[item.layer - 1 - self.items[source].layer], negated)


def _input_names(circuit: Circuit) -> Iterator[str]:
    yield from map(str, circuit.facts)
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        yield from (f"does {role} {move}" for move in moves)


def _drivers(circuit: Circuit) -> dict[int, int]:
    return {
        node: driver
        for loop in circuit.loops
        for node, driver in zip(loop.latches.tolist(), loop.drivers.tolist(), strict=True)
    }


def _results(circuit: Circuit) -> Iterator[tuple[str, int, Phase]]:
    moves = [(role, m) for role, own in zip(circuit.roles, circuit.moves, strict=True) for m in own]
    names: dict[Phase, list[str]] = {
        "view": [*(f"legal {role} {move}" for role, move in moves), "terminal"],
        "goals": [
            *(
                f"goal {role} {value}"
                for role, goals in zip(circuit.roles, circuit.goals, strict=True)
                for value, _ in goals
            ),
            *(f"bad goal {role}" for role in circuit.roles),
        ],
        "next": [f"next {fact}" for fact in circuit.facts],
    }
    for phase in PHASES:
        for name, literal in zip(names[phase], outputs(circuit, phase), strict=True):
            if literal or not name.startswith("bad goal"):
                yield name, literal, phase


def _legend(circuit: Circuit) -> Iterator[tuple[Phase, str]]:
    sizes = measure(circuit)
    for phase in PHASES:
        count = sizes.phase_gates[phase]
        yield phase, f"{_LEGEND[phase]}: {count} gates, depth {sizes.phase_depths[phase]}"


class _Picture:
    """Where everything comes, and the SVG of it."""

    def __init__(self, plan: _Plan) -> None:
        self.items, self.layers = plan.items, plan.layers
        edges = [(s, i) for i, item in enumerate(self.items) for s, _ in item.takes]
        rooms = [
            _TERM_ROOM if item.label else _ROOM if item.is_gate else _WIRE_ROOM
            for item in self.items
        ]
        self.y = [_TOP + _MARGIN + y for y in place(self.layers, edges, rooms)]
        self.x = self._columns(edges)
        self.height = max(self.y, default=_TOP) + _TERM_ROOM + _MARGIN
        self.width = self.x[-1] + _width(self.items[i].label for i in self.layers[-1]) + _MARGIN

    def _columns(self, edges: list[tuple[int, int]]) -> list[float]:
        """Return where each layer's wires end; a layer's own width is behind that."""
        wires = [0] * len(self.layers)
        for _, target in edges:
            wires[self.items[target].layer] += 1
        x = [_MARGIN + _width(self.items[i].label for i in self.layers[0])]
        for count in wires[1:]:
            own = _GATE if len(x) > 1 else 0.0
            x.append(x[-1] + own + min(_WIDEST_GAP, _GAP + _GAP_PER_WIRE * count))
        return x

    def svg(self, legend: Iterator[tuple[Phase, str]]) -> str:
        """Return the picture, with the legend above it."""
        entries = list(legend)
        room = _MARGIN + 2 * _GATE + max(_LETTER * len(text) for _, text in entries)
        size = {"width": f"{max(self.width, room):.0f}", "height": f"{self.height:.0f}"}
        root = ET.Element("svg", size, xmlns="http://www.w3.org/2000/svg")
        root.set("viewBox", f"0 0 {size['width']} {size['height']}")
        ET.SubElement(root, "style").text = _style()
        ET.SubElement(root, "rect", {"class": "paper", "width": "100%", "height": "100%"})
        for k, (phase, text) in enumerate(entries):
            y = _MARGIN + k * _TERM_ROOM
            ET.SubElement(root, "circle", _circle(phase, _MARGIN + 4, y, 4))
            _write(root, text, _MARGIN + _GATE, y, own="note")
        y = _MARGIN + len(entries) * _TERM_ROOM
        ET.SubElement(root, "circle", _circle("not", _MARGIN + 4, y, 3))
        _write(root, "not", _MARGIN + _GATE, y, own="note")
        self._wires(root)
        for number, item in enumerate(self.items):
            if item.is_gate:
                self._gate(root, number)
            elif item.label:
                self._term(root, number)
        return ET.tostring(root, encoding="unicode")

    def _wires(self, root: ET.Element) -> None:
        """Draw all wires from one place as one path, then the circles that negate."""
        origin = list(range(len(self.items)))
        for number, item in enumerate(self.items):
            if item.is_wire:
                origin[number] = origin[item.takes[0][0]]
        ways: dict[int, list[str]] = {}
        circles = []
        for number, item in enumerate(self.items):
            ports = sorted(item.takes, key=lambda take: self.y[take[0]])
            for k, (source, negated) in enumerate(ports):
                begin = self.items[source]
                x = self.x[begin.layer] + (_GATE if begin.layer else 0)
                end, y = self.x[item.layer], self.y[number] + (2 * k + 1 - len(ports)) * 4
                middle = (x + end) / 2
                d = (
                    f"M{x:.1f} {self.y[source]:.1f}"
                    f"C{middle:.1f} {self.y[source]:.1f} {middle:.1f} {y:.1f} {end:.1f} {y:.1f}"
                )
                if item.is_wire:
                    d += f"h{_GATE}"
                ways.setdefault(origin[source], []).append(d)
                if negated:
                    circles.append(_circle("not", end - 3, y, 3))
        for source, parts in ways.items():
            own = self.items[source].phase or "input"
            ET.SubElement(root, "path", {"class": f"wire {own}", "d": "".join(parts)})
        for circle in circles:
            ET.SubElement(root, "circle", circle)

    def _gate(self, root: ET.Element, number: int) -> None:
        item, half = self.items[number], _GATE / 2
        d = (
            f"M{self.x[item.layer]:.1f} {self.y[number] - half:.1f}"
            f"h{half}a{half} {half} 0 0 1 0 {_GATE}h{-half}z"
        )
        ET.SubElement(root, "path", {"class": f"gate {item.phase}", "d": d})

    def _term(self, root: ET.Element, number: int) -> None:
        item, y = self.items[number], self.y[number]
        x = self.x[item.layer]
        if item.layer == 0:
            ET.SubElement(root, "circle", _circle("input", x, y, 2.5))
            _write(root, item.label, x - 8, y, anchor="end")
        else:
            ET.SubElement(root, "circle", _circle(item.phase or "input", x + 2.5, y, 2.5))
            _write(root, item.label, x + 10, y)


def _style() -> str:
    return (
        'text { font: 11px "DejaVu Sans Mono", Menlo, Consolas, monospace; '
        "dominant-baseline: central; }\n"
        ".wire { fill: none; stroke-opacity: 0.75; }\n.wire:hover { stroke-width: 3; }\n"
        f"{_colours(_LIGHT)}@media (prefers-color-scheme: dark) {{\n{_colours(_DARK)}}}\n"
    )


def _colours(of: dict[str, str]) -> str:
    rules = [f".paper {{ fill: {of['paper']}; }}", f"text, circle.input {{ fill: {of['ink']}; }}"]
    rules += [f"text.note {{ fill: {of['note']}; }}", f".wire {{ stroke: {of['wire']}; }}"]
    rules.append(f"circle.not {{ fill: {of['paper']}; stroke: {of['ink']}; }}")
    for phase in PHASES:
        rules.append(f".wire.{phase} {{ stroke: {of[phase]}; }}")
        rules.append(f"path.gate.{phase}, circle.{phase} {{ fill: {of[phase]}; }}")
    return "".join(f"{rule}\n" for rule in rules)


def _circle(own: str, x: float, y: float, radius: float) -> dict[str, str]:
    return {"class": own, "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius:g}"}


def _write(
    root: ET.Element, text: str, x: float, y: float, *, own: str = "", anchor: str = "start"
) -> None:
    element = ET.SubElement(root, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}"})
    element.set("text-anchor", anchor)
    if own:
        element.set("class", own)
    shown = _UNPRINTABLE.sub("\ufffd", text)
    element.text = _shortened(shown)
    if element.text != shown:
        ET.SubElement(element, "title").text = shown


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def _width(labels: Iterable[str]) -> float:
    return _LETTER * max((len(_shortened(label)) for label in labels), default=0) + 16

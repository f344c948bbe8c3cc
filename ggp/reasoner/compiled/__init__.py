"""The fast reasoner: the rules are grounded, made a circuit of gates, and compiled.

`rewriting` makes rules that a grounder can take, `grounding` turns them into a ground program,
`circuit` makes an and-inverter graph of that, `codegen` compiles the graph, and `runtime` runs it.
Each imports only from those named before it, and from `numba_support` and `cache`. `symmetry` and
`factors` find what a game is made of. Other packages import what they need from here. Each name is
loaded when it is first used, because numba and LLVM take a second to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ggp.reasoner.compiled.cache import Cache
    from ggp.reasoner.compiled.circuit.aig import Aig
    from ggp.reasoner.compiled.circuit.build import build_circuit
    from ggp.reasoner.compiled.circuit.circuit import FALSE, Circuit
    from ggp.reasoner.compiled.circuit.evaluate import answers
    from ggp.reasoner.compiled.circuit.wide import States, WideCircuit
    from ggp.reasoner.compiled.codegen.assemble import (
        LARGEST_CODE,
        POINTER_ROW,
        Assembly,
        assemble,
        digest,
    )
    from ggp.reasoner.compiled.codegen.straightline import Program
    from ggp.reasoner.compiled.drawing import draw, render
    from ggp.reasoner.compiled.factors.find import Factor, find_factors
    from ggp.reasoner.compiled.grounding.encode import Encoder
    from ggp.reasoner.compiled.kernels import REASONER_KERNELS, KernelSet
    from ggp.reasoner.compiled.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
    from ggp.reasoner.compiled.measures import measure
    from ggp.reasoner.compiled.numba_support import (
        Words,
        aligned_words,
        aligned_zeros,
        allocating,
        bit_length,
        gather,
        inlined,
        load_numba,
        nopython,
        popcount,
        prefetch,
        run,
        signed,
        transpose_lanes,
        twins,
        words_of,
    )
    from ggp.reasoner.compiled.reasoner import SMALL_GAME, CompiledReasoner
    from ggp.reasoner.compiled.rewriting.clauses import DOES, ROLES, TRUE, Auxiliaries
    from ggp.reasoner.compiled.rewriting.rewrite import safe_rules
    from ggp.reasoner.compiled.runtime.halves import Halves, next_program, view_program
    from ggp.reasoner.compiled.runtime.kernel import Kernel, Views
    from ggp.reasoner.compiled.runtime.loops import list_bits, step_states, to_rows, view_states
    from ggp.reasoner.compiled.runtime.move_sets import move_sets
    from ggp.reasoner.compiled.runtime.pass_program import layout
    from ggp.reasoner.compiled.runtime.playout import (
        EXTRA_BITS,
        Results,
        assemble_passes,
        limit_steps,
    )
    from ggp.reasoner.compiled.runtime.turns import Turns, find_turns, no_turns
    from ggp.reasoner.compiled.store import (
        circuit_key,
        game_key,
        keep_circuit,
        kept_circuit,
        load_circuit,
    )
    from ggp.reasoner.compiled.symmetry import Symmetry, find_symmetries

__all__ = [
    "DEFAULT_MEMORY_LIMIT",
    "DEFAULT_TIME_LIMIT",
    "DOES",
    "EXTRA_BITS",
    "FALSE",
    "LARGEST_CODE",
    "POINTER_ROW",
    "REASONER_KERNELS",
    "ROLES",
    "SMALL_GAME",
    "TRUE",
    "Aig",
    "Assembly",
    "Auxiliaries",
    "Cache",
    "Circuit",
    "CompiledReasoner",
    "Encoder",
    "Factor",
    "Halves",
    "Kernel",
    "KernelSet",
    "Program",
    "Results",
    "States",
    "Symmetry",
    "Turns",
    "Views",
    "WideCircuit",
    "Words",
    "aligned_words",
    "aligned_zeros",
    "allocating",
    "answers",
    "assemble",
    "assemble_passes",
    "bit_length",
    "build_circuit",
    "circuit_key",
    "digest",
    "draw",
    "find_factors",
    "find_symmetries",
    "find_turns",
    "game_key",
    "gather",
    "inlined",
    "keep_circuit",
    "kept_circuit",
    "layout",
    "limit_steps",
    "list_bits",
    "load_circuit",
    "load_numba",
    "measure",
    "move_sets",
    "next_program",
    "no_turns",
    "nopython",
    "popcount",
    "prefetch",
    "render",
    "run",
    "safe_rules",
    "signed",
    "step_states",
    "to_rows",
    "transpose_lanes",
    "twins",
    "view_program",
    "view_states",
    "words_of",
]

#: The module of each name.
HOMES = {
    name: f"{__name__}.{module}"
    for module, names in {
        "cache": "Cache",
        "circuit.aig": "Aig",
        "circuit.build": "build_circuit",
        "circuit.circuit": "FALSE Circuit",
        "circuit.evaluate": "answers",
        "circuit.wide": "States WideCircuit",
        "codegen.assemble": "LARGEST_CODE POINTER_ROW Assembly assemble digest",
        "codegen.straightline": "Program",
        "drawing": "draw render",
        "factors.find": "Factor find_factors",
        "grounding.encode": "Encoder",
        "kernels": "REASONER_KERNELS KernelSet",
        "limits": "DEFAULT_MEMORY_LIMIT DEFAULT_TIME_LIMIT",
        "measures": "measure",
        "numba_support": "Words aligned_words aligned_zeros allocating bit_length gather inlined"
        " load_numba nopython popcount prefetch run signed transpose_lanes twins words_of",
        "reasoner": "SMALL_GAME CompiledReasoner",
        "rewriting.clauses": "DOES ROLES TRUE Auxiliaries",
        "rewriting.rewrite": "safe_rules",
        "runtime.halves": "Halves next_program view_program",
        "runtime.kernel": "Kernel Views",
        "runtime.loops": "list_bits step_states to_rows view_states",
        "runtime.move_sets": "move_sets",
        "runtime.pass_program": "layout",
        "runtime.playout": "EXTRA_BITS Results assemble_passes limit_steps",
        "runtime.turns": "Turns find_turns no_turns",
        "store": "circuit_key game_key keep_circuit kept_circuit load_circuit",
        "symmetry": "Symmetry find_symmetries",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value

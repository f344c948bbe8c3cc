"""The Knowledge Interchange Format: parser, terms, printer, scrambler. Knows nothing of games."""

from ggp.kif.lines import Lines
from ggp.kif.parser import MAX_BYTES, MAX_DEPTH, MAX_LENGTH, Source, parse, parse_term
from ggp.kif.printer import pretty, to_kif
from ggp.kif.scrambler import Scrambler, renamed
from ggp.kif.terms import Compound, Position, Symbol, Term, compound, is_ground, symbols, variables

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_LENGTH",
    "Compound",
    "Lines",
    "Position",
    "Scrambler",
    "Source",
    "Symbol",
    "Term",
    "compound",
    "is_ground",
    "parse",
    "parse_term",
    "pretty",
    "renamed",
    "symbols",
    "to_kif",
    "variables",
]

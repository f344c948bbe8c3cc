"""Our random playouts beside those of other systems, whose games are compiled C++.

`python -m benchmarks.peers` measures OpenSpiel, whose games are written by hand, and the programs
that RBG (Regular Boardgames) generates from rules. docs/speed.md explains the figures;
`--write docs/speed.md` replaces them.
"""

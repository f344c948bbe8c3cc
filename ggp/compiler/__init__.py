"""The compiler: the rules of a game become a circuit, and the circuit becomes machine code.

The parts, in the order in which a game passes through them:

1. `rewriting` makes rules that a grounder can take,
2. `grounding` turns them into a ground program,
3. `circuit` makes an and-inverter graph of that,
4. `codegen` compiles the graph, as LLVM's code or as a table,
5. `runtime` runs it: views, next states, random playouts.

`store` keeps circuits from run to run. `symmetry` and `factors` find what a game is made of,
`measures` and `drawing` show what has become of it. Each part imports from those before it only.
"""

"""The fast reasoner: the rules are grounded, made a circuit of gates, and compiled.

`rewrite` and `encode` prepare the rules for `grounder`; `build` makes the `circuit`; `kernel` and
`playout` run it, as machine code from `codegen` or by a `table`; `reasoner` is what others see.
"""

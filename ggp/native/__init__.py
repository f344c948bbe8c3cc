"""What makes Python fast, and knows no game: machine code by numba, kept from run to run.

`numba_support` says how functions are compiled, `kernels` compiles those that all games share ahead
of time, and `cache` is the folder in which processes keep what they have made.
"""

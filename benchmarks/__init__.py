"""Benchmarks: figures that the docs quote, each from a command that anyone can run."""

"""What a cluster of Ray costs and brings, measured on nodes that this machine simulates.

`python -m benchmarks.cluster` starts clusters whose nodes are processes of this machine, runs
tournaments and playouts on them, and stops them. docs/cluster.md explains the figures;
`--write docs/cluster.md` replaces them.
"""

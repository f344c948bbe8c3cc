"""Running circuits: kernels, loops over many states, and random playouts."""

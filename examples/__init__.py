"""Short programs that show how the package is used from Python."""

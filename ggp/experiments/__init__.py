"""One module for each table of the literature; `ggp experiment NAME` runs it."""

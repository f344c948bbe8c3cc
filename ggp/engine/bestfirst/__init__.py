"""Best-first minimax over the machine code of a game: see `ggp.search.best_first`."""

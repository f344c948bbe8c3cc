"""Writing games: the language server that editors talk to."""

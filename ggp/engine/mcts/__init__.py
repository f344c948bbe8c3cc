"""Tree search over the machine code of a game; `search` is its interface."""

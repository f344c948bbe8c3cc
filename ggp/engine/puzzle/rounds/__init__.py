"""Planning as satisfiability, in rounds of moves that do not interfere."""

"""Card games: deals, written into rulesheets."""

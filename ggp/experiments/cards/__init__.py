"""Card games: random deals, and the rulesheets of games with their cards."""

"""What it takes to compile a game: CPU seconds, seconds and memory, stage by stage."""

"""How fast and how far the tools for authors of games go."""

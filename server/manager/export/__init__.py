"""States and matches as files that need no server: SVG, GIF and a page of its own."""

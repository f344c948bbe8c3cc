"""How the contents of cells look: their owners, labels, and which of them mean an empty cell."""

"""Recording and drawing of the tree that a search visits."""

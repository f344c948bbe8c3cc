"""The commands that learn, and that make data to learn from."""

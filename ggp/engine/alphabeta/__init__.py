"""Minimax, bounded minimax and alpha-beta as one compiled loop."""

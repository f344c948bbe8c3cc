"""Referees of games without a board."""

"""Referees of games on a board."""

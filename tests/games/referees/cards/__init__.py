"""Referees of card games."""

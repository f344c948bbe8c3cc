"""Grounding: from the rules of a description to a ground program."""

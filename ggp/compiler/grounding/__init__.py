"""Grounding: from rules to a ground program."""

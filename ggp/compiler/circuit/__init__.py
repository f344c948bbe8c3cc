"""Circuits: the and-inverter graph that a ground program becomes, and what is asked of it."""

"""Plays that answer a question: found at random, replayed with Prolog, and written as records."""

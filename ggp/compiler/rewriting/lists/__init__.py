"""Drops lists that only keep a search from going in circles (`visited`)."""

"""The processes that work for the manager, inside and outside."""

"""The soak: many matches at once on one server, and everything that can go wrong beside them."""

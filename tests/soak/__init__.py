"""The soak: many matches at once on one server, with injected faults."""

"""Facts of which at most one holds at a time, such as where a king stands."""

"""The histories that agree with what a role has perceived, found by an answer set solver."""

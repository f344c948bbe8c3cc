"""The players that come with the framework, one strategy a file."""

"""The pages of the manager, and the JSON that their scripts request."""

"""The pages of the manager and what their scripts ask for."""

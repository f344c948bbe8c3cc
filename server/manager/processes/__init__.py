"""The child processes of the manager, and what the manager uses to talk with them."""

"""Max-n and its prunings as one compiled loop."""

"""What takes longer than a keystroke, in child processes with limits."""

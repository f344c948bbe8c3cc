"""The engine of the planner: games of one role, searched in batches of packed states."""

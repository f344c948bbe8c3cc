"""How fast the manager's pages answer, and how soon they are painted."""

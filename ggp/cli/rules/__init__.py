"""Commands that say something about rulesheets."""

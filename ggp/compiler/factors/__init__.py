"""The factors of a game: parts of its facts and moves that do not depend on each other."""

"""The text of a rulesheet while someone types in it: statements, tokens, positions."""

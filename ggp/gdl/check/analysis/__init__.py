"""What the checks know about a rulesheet beyond its text."""

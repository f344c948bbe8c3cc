"""A language server for GDL: what an editor needs to understand a rulesheet as it is typed."""

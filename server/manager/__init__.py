"""The match manager: `web` answers browsers, and child processes do the work.

A *guide* knows one game: it checks the rules, draws states and lists the legal moves. Another
process referees a match, and an *analyst* searches. The manager itself never parses a rulesheet, so
no rulesheet can harm it.
"""

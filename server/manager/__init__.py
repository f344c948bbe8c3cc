"""The match manager as pages: `app` answers browsers, and processes of their own do the work.

A *guide* knows one game: it checks the rules, draws states and says what is legal. A *match* is
refereed in a process, an *analyst* searches in another. Whatever a rulesheet does to them, the
manager itself never reads more of it than its bytes.
"""

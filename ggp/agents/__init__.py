"""A server by which agents, such as language models, write, check, prove and play games.

It speaks the Model Context Protocol, on the protocol's own SDK: the extra `ggp[mcp]`. `server` has
the tools, `calls` runs each of them in a process with limits, `workspace` keeps the rulesheets in
one folder, and `position` is the program that plays to a state.
"""

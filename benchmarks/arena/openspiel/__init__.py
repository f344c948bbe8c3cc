"""OpenSpiel's bots as contenders, in games that have the same rules here and there.

`games` lists the games, `mirror` keeps a state of OpenSpiel in step with one of ours, and `bot` is
OpenSpiel's tree search. OpenSpiel is an extra: `pip install 'ggp[openspiel]'`.
"""

"""How a state is drawn: boards, hands and pieces, found from the rules and from random play.

Nothing depends on how a game spells its words: a board is what behaves like one.
"""

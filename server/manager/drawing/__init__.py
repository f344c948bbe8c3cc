"""Finds how to draw a game: boards, hands and pieces, from the rules and from random play.

Nothing depends on the words of a game: facts make a board if they behave like one.
"""

"""Any rulesheet in the interfaces of other libraries, each with an extra of its own.

- `ggp.adapters.openspiel`: a game of OpenSpiel, ``pyspiel.load_game("gdl(file=…)")``.
- `ggp.adapters.pettingzoo`: environments of PettingZoo, by turns or in parallel.
- `ggp.adapters.gymnasium`: one role as an environment of Gymnasium, alone or many at once.

``python -m ggp.adapters GAME…`` runs these libraries' own tests on rulesheets.
"""

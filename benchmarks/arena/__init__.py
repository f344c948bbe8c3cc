"""Matches between any two players, with equal processor time for each move.

`python -m benchmarks.arena A B --game GAME` plays them; docs/strength.md explains it. The modules:

- `contenders`: what plays a role, and `clock`, its time;
- `matches`: openings, and how the roles are divided between two sides;
- `measuring`: an opening played as a task of an experiment;
- `scores`: the score of a side with its error, and `sprt`, the test that stops early;
- `contest`: matches until there are enough, `rows`: the contests of docs/strength.md;
- `playing`: contests played, kept and continued, and `table`: how they are shown;
- `openspiel`: another system's bots and games; `versions`: players of other commits.
"""

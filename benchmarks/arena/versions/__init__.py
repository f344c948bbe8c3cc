"""Players of other versions of this framework: those of a commit, as `git:COMMIT:PLAYER`.

`checkout` takes the files of a commit, `child` is the process in which they run, and `contender`
speaks for a player in it.
"""

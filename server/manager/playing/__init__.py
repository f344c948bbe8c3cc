"""What a person who comes to play needs: opponents of several levels, and what a game is like."""

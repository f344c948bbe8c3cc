"""From the rules of a game to rules that a grounder can take, and that ground small."""

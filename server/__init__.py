"""The player server: `protocol` is the pure core; `player`, on `http`, puts it on the web."""

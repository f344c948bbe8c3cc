"""What the text itself tells: spelling, comments, the signs of other languages."""

"""Tasks and habits in a database of their own in sayso's folder: the embedded default."""

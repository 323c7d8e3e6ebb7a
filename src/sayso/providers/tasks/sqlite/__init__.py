"""Tasks and habits in a database in sayso's folder; this is the default backend."""

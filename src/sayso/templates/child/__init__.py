"""The small program in which a handler runs; it uses Python alone, and nothing of sayso can be imported in it."""

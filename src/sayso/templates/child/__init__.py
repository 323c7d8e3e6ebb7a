"""The small program that a handler runs in; it stands on Python alone, and nothing of sayso can be imported in it."""

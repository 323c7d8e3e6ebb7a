"""sayso's own page, for the person at this computer alone: what waits, what was done, and the yes or no to it."""

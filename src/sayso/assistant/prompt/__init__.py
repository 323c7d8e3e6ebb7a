"""What a model is told at each entry point: one prompt for each, none of which speaks of another's form (X-20)."""

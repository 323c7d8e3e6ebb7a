"""From a person's words to proposals: so far, what a model is shown of the world before it answers."""

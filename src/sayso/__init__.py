"""sayso: a model proposes, you say so, and nearly everything can be taken back."""

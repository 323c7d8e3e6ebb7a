"""Asking a language model: the context it is shown, its prompts, its replies, and triggers."""

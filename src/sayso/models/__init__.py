"""The language models that turn words into proposals."""

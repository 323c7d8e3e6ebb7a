"""One module per way of writing proposals; readers touch nothing but text."""

"""Applications and windows of a Mac."""

"""Golden files: what persisted forms looked like when they were pinned."""

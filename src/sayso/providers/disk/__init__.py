"""Low-level file access in open folders: kernel calls, and small text files that are replaced only if unchanged."""

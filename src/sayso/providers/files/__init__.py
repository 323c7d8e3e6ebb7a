"""Files and folders: move, copy, delete, make, write, append, open, reveal; list, find, read."""

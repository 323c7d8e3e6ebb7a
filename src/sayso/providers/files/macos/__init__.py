"""The files of a Mac, with its own Trash."""

"""The dialects, each in its own module or folder; their readers work only on text, without disk, network or clock."""

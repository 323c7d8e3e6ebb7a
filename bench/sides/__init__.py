"""The programs that are measured against each other; each does as many as it is told, again and again."""

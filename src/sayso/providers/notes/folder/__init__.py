"""Notes as Markdown files in folders, which any editor reads too."""

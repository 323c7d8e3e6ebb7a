"""Mail in a Maildir that other programs read and write too: the embedded default."""

"""Mail in a Maildir that other programs also read and write: the default, for which no server is needed."""

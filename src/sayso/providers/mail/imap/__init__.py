"""Mail on a server that speaks IMAP."""

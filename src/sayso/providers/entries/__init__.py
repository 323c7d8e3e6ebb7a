"""The one reader of desktop entries: what is installed on a Linux desktop, and what starts it."""

"""Mail in the application Mail of macOS."""

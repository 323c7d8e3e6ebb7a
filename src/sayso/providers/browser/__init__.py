"""Web addresses, tabs and pages of a browser."""

"""The backend for Calendar and Reminders of macOS."""

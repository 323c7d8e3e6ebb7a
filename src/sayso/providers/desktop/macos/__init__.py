"""The desktop of a Mac."""

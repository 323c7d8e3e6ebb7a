"""Shared code for accounts on servers: finding the server, getting the password, and explaining errors."""

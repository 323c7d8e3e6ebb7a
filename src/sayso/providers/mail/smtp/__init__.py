"""Sending mail over SMTP: handed over at most once, and what became of it is known or said to be unknown."""

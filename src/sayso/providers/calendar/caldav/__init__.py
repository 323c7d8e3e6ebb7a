"""Calendars on a CalDAV server (RFC 4791). Every write is conditional, and an unclear result is settled by reading."""

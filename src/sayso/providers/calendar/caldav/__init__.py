"""Calendars on a CalDAV server (RFC 4791); every write is conditional, and an unclear result is settled by reading."""

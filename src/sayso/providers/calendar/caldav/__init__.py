"""Calendars on a CalDAV server (RFC 4791); after an unclear write, the server is asked whether it was done."""

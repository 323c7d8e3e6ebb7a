"""A calendar on a CalDAV server (RFC 4791): every write is conditional, and an unclear end is settled by looking."""

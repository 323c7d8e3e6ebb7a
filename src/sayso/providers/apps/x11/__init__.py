"""Windows and monitors of an X session, by the conventions of window managers (EWMH) and RandR."""

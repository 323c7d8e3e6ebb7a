"""D-Bus: calling methods on the session's bus, and being called."""

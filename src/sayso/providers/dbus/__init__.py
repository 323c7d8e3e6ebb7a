"""D-Bus: call methods on the session's bus, and answer calls from other programs."""

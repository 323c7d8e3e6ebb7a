"""The one way to speak with others on the D-Bus of the session."""

"""The desktop of a Linux session; each part uses a program or service that the session has."""

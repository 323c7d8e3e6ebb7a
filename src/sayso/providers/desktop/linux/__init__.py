"""The desktop of a Linux session: each part served by what the session really has."""

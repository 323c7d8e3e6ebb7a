"""What accounts on servers share: how they are found, where their passwords lie, and why a server says no."""

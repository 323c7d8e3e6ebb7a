"""The values every room of sayso speaks in, and the sockets the rooms are plugged into."""

"""Measurements side by side with peers and with the physical limit (`make bench`)."""

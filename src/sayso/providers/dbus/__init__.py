"""Dbus."""

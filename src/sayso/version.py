"""The version of sayso, where it can be read at once."""

VERSION = "0.1.0"

"""The version of sayso, in a module without imports."""

VERSION = "0.1.0"

"""Lamps for sayso: a whole provider in a package of its own."""

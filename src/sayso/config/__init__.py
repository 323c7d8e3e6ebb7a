"""The person's settings: where they stand, what they may say, and the value that the rest works with."""

from sayso.config.load import Settings, load
from sayso.config.paths import Places, places

__all__ = ["Places", "Settings", "load", "places"]

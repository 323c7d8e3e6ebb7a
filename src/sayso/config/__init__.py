"""The person's settings: where they are stored, what they may contain, and the values that the rest of sayso uses."""

from sayso.config.load import Settings, load
from sayso.config.paths import Places, places

__all__ = ["Places", "Settings", "load", "places"]

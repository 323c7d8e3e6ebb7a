"""The functions that are called within a page."""

from pathlib import Path


def script() -> str:
    """Return them, as one object in JavaScript."""
    return Path(__file__).with_name("inside.js").read_text("utf-8")

"""What is put into pages and workers where the browser itself cannot be told to stop what they ask for."""

import json
from collections.abc import Iterable
from pathlib import Path


def without_rules() -> str:
    """Return the script that takes the rules out of a page by which other pages are fetched in advance."""
    return _read("rules.js")


def kept_away(ports: Iterable[int]) -> str:
    """Return the script that keeps what a worker asks for by its address away from ports."""
    return f"({_read('away.js')})(...{json.dumps(sorted(ports))})"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").strip()

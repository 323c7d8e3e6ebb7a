"""How much one run of measurements does: everything for a person, little for a test."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp


@dataclass(frozen=True)
class Size:
    """`rounds` of `n` each; `work` is a folder on the disk that is to be measured."""

    rounds: int
    n: int
    work: Path
    peers: str = ""
    """The Python of the environment that holds the peers; empty leaves them out."""
    rows: int = 1_000_000
    text: int = 10_000_000
    """Characters of the longest text that is read."""

    def folder(self, name: str) -> str:
        """Return a new empty folder on that disk."""
        return mkdtemp(prefix=f"{name}-", dir=self.work)


Measures = Callable[[Size], list[object]]

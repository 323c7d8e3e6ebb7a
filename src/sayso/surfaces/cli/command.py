"""What a command is: an example, its arguments, and what it does."""

import argparse
from collections.abc import Callable

from sayso.core.values import dataclass
from sayso.surfaces.cli.here import Here


@dataclass(frozen=True)
class Command:
    """One command. `act` returns the exit code; what it raises as `SaysoError` is told in one sentence."""

    configure: Callable[[argparse.ArgumentParser], None]
    act: Callable[[argparse.Namespace, Here], int]
    example: str
    more: str = ""
    """Sentences for `--help` beyond the one in the table."""

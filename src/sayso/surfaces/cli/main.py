"""Begin: what sayso says of itself is said at once, and only a command imports what commands need."""

import sys
from collections.abc import Mapping, Sequence

from sayso.core.loading import load
from sayso.surfaces.cli.overview import said_at_once


def main(words: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = sys.argv[1:] if words is None else words
    said = said_at_once(words)
    if words and said is not None:
        try:
            print(said, flush=True)
        except (OSError, ValueError):
            pass  # said once more below, where every odd output has its answer
        else:
            return 0
    return load("sayso.surfaces.cli.running:run")(words, environ)

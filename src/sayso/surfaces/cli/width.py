"""How wide the lines are that a person is shown."""

from sayso.core.loading import load
from sayso.surfaces.cli.here import Here

UNLIMITED = 1 << 24


def width_of(here: Here) -> int:
    """Return how wide lines may be: the terminal's columns; what goes elsewhere is neither wrapped nor shortened."""
    if not here.out.isatty():
        return UNLIMITED
    return max(40, min(load("shutil:get_terminal_size")((80, 24)).columns, 120))

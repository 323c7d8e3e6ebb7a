"""What sayso says of itself: its version, and all commands at a glance."""

from collections.abc import Sequence

from sayso.core.version import VERSION
from sayso.surfaces.cli.table import TABLE


def said_at_once(words: Sequence[str]) -> str | None:
    """Return what answers a command line that names no command; None for every other."""
    name = words[0] if words else ""
    if name in {"--version", "-V"}:
        return f"sayso {VERSION}"
    return overview() if name in {"", "-h", "--help", "help"} else None


def overview() -> str:
    """Return what `sayso --help` prints."""
    rows = "\n".join(f"  {name:<12} {entry.does}" for name, entry in TABLE.items())
    return (
        "sayso: a model proposes actions on your computer; nothing happens without your\n"
        "say-so, everything is written down, and nearly everything can be taken back.\n\n"
        f"usage: sayso COMMAND …\n\n{rows}\n\n"
        "`sayso COMMAND --help` shows its options and an example; all take --json.\n"
        "New here: `sayso setup`, or `sayso try` to look first, in a scratch home."
    )

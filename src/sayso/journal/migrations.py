"""What takes an older journal to the newest version, each step an SQL file of its own beside `schema.sql`."""

from pathlib import Path

NAMES = ("sessions.sql", "triggers.sql")
"""`NAMES[i]` takes version i + 1 to i + 2. Only ever added to: older journals have run the ones before."""
NEWEST = 1 + len(NAMES)


def migrations() -> tuple[str, ...]:
    """Return their texts, in order."""
    return tuple(map(_text, NAMES))


def schema() -> str:
    """Return what a new journal is made by."""
    return _text("schema.sql")


def _text(name: str) -> str:
    # Python's own way to such files imports what unpacks archives, which takes longer than to open the journal.
    return Path(__file__).with_name(name).read_text(encoding="utf-8")

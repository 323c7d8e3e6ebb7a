"""The one deed that every side does: a file is moved to another folder, and both folders are brought to the disk."""

import os
from pathlib import Path


def move(source: Path, destination: Path) -> None:
    """Move a file to a free path, durably."""
    if destination.exists():
        raise FileExistsError(destination)
    source.rename(destination)
    for folder in (destination.parent, source.parent):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(opened)
        os.close(opened)


def two_places(folder: Path) -> list[Path]:
    """Make a file in one of two new folders; return where it is and where it may go."""
    places = [folder / "here" / "letter.txt", folder / "there" / "letter.txt"]
    for place in places:
        place.parent.mkdir(parents=True)
    places[0].write_text("hello", encoding="utf-8")
    return places

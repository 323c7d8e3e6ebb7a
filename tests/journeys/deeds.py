"""What the processes that die are doing: each file operation, and how the files must look after each action of it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.journeys.ground import Ground, Tree, copied, moved, removed, with_folders, written

Stage = Callable[[Tree], Tree]
A = "Documents/a.txt"
TREE = "Documents/tree"
OLD = "one\n"


@dataclass(frozen=True)
class Deed:
    """A text, and for each action in it what it makes of a tree; `made` is the one new thing an outsider could make."""

    text: str
    stages: tuple[Stage, ...]
    mode: str = "never"
    made: str = ""
    trashes: bool = False


DEEDS = {
    "move a file": Deed(
        "MOVE_FILE ~/Documents/a.txt ~/Documents/sub/b.txt", (lambda t: moved(t, A, "Documents/sub/b.txt"),), "always"
    ),
    "move a folder": Deed(
        "MOVE_FILE ~/Documents/tree ~/Documents/sub/b", (lambda t: moved(t, TREE, "Documents/sub/b"),)
    ),
    "copy a file": Deed(
        "COPY_FILE ~/Documents/a.txt ~/Documents/b.txt",
        (lambda t: copied(t, A, "Documents/b.txt"),),
        made="Documents/b.txt",
    ),
    "copy a folder": Deed(
        "COPY_FILE ~/Documents/tree ~/Documents/b",
        (lambda t: copied(t, TREE, "Documents/b"),),
        "always",
        made="Documents/b",
    ),
    "delete a file": Deed("DELETE_FILE ~/Documents/a.txt", (lambda t: removed(t, A),), trashes=True),
    "delete a folder": Deed("DELETE_FILE ~/Documents/tree", (lambda t: removed(t, TREE),), trashes=True),
    "make folders": Deed(
        "CREATE_FOLDER ~/Documents/x/y/z",
        (lambda t: with_folders(t, "Documents/x", "Documents/x/y", "Documents/x/y/z"),),
        made="Documents/x",
    ),
    "write a new file": Deed(
        'WRITE_FILE ~/Documents/new.txt "ä new text"',
        (lambda t: written(t, "Documents/new.txt", "ä new text"),),
        made="Documents/new.txt",
    ),
    "write over a file": Deed('WRITE_FILE ~/Documents/a.txt "two"', (lambda t: written(t, A, "two"),), "always"),
    "append": Deed('APPEND_FILE ~/Documents/a.txt "two"', (lambda t: written(t, A, OLD + "two"),)),
    "append to a new file": Deed(
        'APPEND_FILE ~/Documents/new.txt "one"',
        (lambda t: written(t, "Documents/new.txt", "one"),),
        "always",
        made="Documents/new.txt",
    ),
    "a batch": Deed(
        "CREATE_FOLDER ~/Documents/in\n"
        "MOVE_FILE ~/Documents/a.txt ~/Documents/in/a.txt\n"
        'APPEND_FILE ~/Documents/in/a.txt "two"',
        (
            lambda t: with_folders(t, "Documents/in"),
            lambda t: moved(t, A, "Documents/in/a.txt"),
            lambda t: written(t, "Documents/in/a.txt", OLD + "two"),
        ),
        "destructive",
    ),
}

FIRST = {
    "move a file": "everywhere",
    "copy a folder": "once",
    "delete a file": "once",
    "make folders": "once",
    "write a new file": "once",
    "append": "once",
    "a batch": "between",
}
"""One deed for each class of step, and where it dies in the first ring (`dying.chosen`).

The engine's own points are the same for every step: one deed dies at all of them, and a batch between its steps.
"""


def prepare(ground: Ground) -> None:
    """Make the files that the deeds are about."""
    ground.file("a.txt", OLD)
    ground.file("other.txt", "not concerned\n")
    (ground.documents / "sub").mkdir()
    ground.file("tree/one.txt", "1\n", mode=0o600)
    ground.file("tree/in/ünï.sh", "#!/bin/sh\n", mode=0o750)
    (ground.documents / "tree" / "link").symlink_to("one.txt")
    (ground.documents / "tree" / "empty").mkdir()


def worlds(deed: Deed, before: Tree) -> list[Tree]:
    """Return how the files look before the deed and after each of its actions."""
    found = [before]
    for stage in deed.stages:
        found.append(stage(found[-1]))
    return found


def sha256(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()

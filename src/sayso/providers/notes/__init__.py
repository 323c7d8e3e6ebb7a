"""The notes provider."""

import sys

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.core.settings import PATH, Setting, memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

NOTES = Provider(
    store="notes",
    operations=LazySequence(OPERATIONS["notes"]),
    steps=LazySequence(STEPS["notes"]),
    facts=LazySequence(FACTS["notes"]),
    outside=("notes",),
    backends={
        "folder": "sayso.providers.notes.folder:build",
        "apple": "sayso.providers.notes.apple:build",
        "memory": "sayso.providers.notes.memory:build",
    },
    default="apple" if sys.platform == "darwin" else "folder",
    only_on={"apple": "darwin"},
    kinds={"folder": "a folder of Markdown files on this computer", "apple": "the application Notes of macOS"},
    serves="notes",
    settings=(
        Setting("notes", "path", PATH, "Folder of notes."),
        memory_world("notes"),
    ),
)

"""The notes provider."""

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
        "memory": "sayso.providers.notes.memory:build",
    },
    default="folder",
    kinds={"folder": "a folder of Markdown files on this computer"},
    serves="notes",
    settings=(
        Setting("notes", "path", PATH, "Folder of notes."),
        memory_world("notes"),
    ),
)

"""Notes, as the rest of the house sees them."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

NOTES = Provider(
    store="notes",
    operations=LazySequence({"sayso.providers.notes.operations:OPERATIONS": "note.create note.append note.find"}),
    steps=LazySequence({"sayso.providers.notes.model:STEPS": "note.create note.remove note.append note.cut"}),
    facts=LazySequence({"sayso.providers.notes.model:FACTS": "note note_folder"}),
    backends={
        "folder": "sayso.providers.notes.folder:build",
        "memory": "sayso.providers.notes.memory:build",
    },
    default="folder",
    kinds={"folder": "a folder of Markdown files on this computer"},
    elsewhere={"apple": "darwin"},
)

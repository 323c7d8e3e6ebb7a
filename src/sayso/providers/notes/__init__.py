"""Notes, as the rest of the house sees them."""

from sayso.core.lazy import Later
from sayso.core.provider import Provider

NOTES = Provider(
    store="notes",
    operations=Later({"sayso.providers.notes.operations:OPERATIONS": "note.create note.append note.find"}),
    steps=Later({"sayso.providers.notes.model:STEPS": "note.create note.remove note.append note.cut"}),
    facts=Later({"sayso.providers.notes.model:FACTS": "note note_folder"}),
    backends={
        "folder": "sayso.providers.notes.folder:build",
        "memory": "sayso.providers.notes.memory:build",
    },
    default="folder",
    kinds={"folder": "a folder of Markdown files on this computer"},
    elsewhere={"apple": "darwin"},
)

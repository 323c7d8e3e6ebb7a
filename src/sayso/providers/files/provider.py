"""The file provider as a value: its operations, steps, facts, and where its backends are built."""

from sayso.core.ports import Provider
from sayso.providers.files.facts import FACTS
from sayso.providers.files.operations.moving import copy, delete, move
from sayso.providers.files.operations.reading import find, list_folder, read
from sayso.providers.files.operations.showing import open_file, reveal
from sayso.providers.files.operations.writing import append, mkdir, write
from sayso.providers.files.steps import STEPS

FILES = Provider(
    store="files",
    operations=(move, copy, delete, mkdir, open_file, reveal, write, append, list_folder, find, read),
    steps=STEPS,
    facts=FACTS,
    backends={
        "local": "sayso.providers.files.local.backend:build",
        "memory": "sayso.providers.files.memory:build",
    },
    default="local",
)

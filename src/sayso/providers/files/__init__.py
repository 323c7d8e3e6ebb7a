"""The file provider: its operations, steps and facts, and the functions that build its backends."""

import sys

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.providers.index import FACTS, OPERATIONS, STEPS

FILES = Provider(
    store="files",
    operations=LazySequence(OPERATIONS["files"]),
    steps=LazySequence(STEPS["files"]),
    facts=LazySequence(FACTS["files"]),
    outside=("files",),
    backends={
        "local": "sayso.providers.files.local.backend:build",
        "macos": "sayso.providers.files.macos:build",
        "memory": "sayso.providers.files.memory:build",
    },
    default="macos" if sys.platform == "darwin" else "local",
    kinds={"local": "the files of this computer", "macos": "the files of a Mac, with its own Trash"},
    only_on={"macos": "darwin"},
    context={"file.list": "sayso.providers.files.context:recent"},
    serves="files",
)

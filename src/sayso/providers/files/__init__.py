"""The file provider as a value: its operations, steps, facts, and where its backends are built."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

FILES = Provider(
    store="files",
    operations=LazySequence(
        {
            "sayso.providers.files.operations:OPERATIONS": (
                "file.move file.copy file.delete file.mkdir file.write file.append file.open file.reveal "
                "file.list file.find file.read"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.files.model:STEPS": (
                "file.rename file.copy file.trash file.restore file.keep file.unkeep file.make_folders "
                "file.remove_folders file.write file.replace file.exchange"
            ),
        }
    ),
    facts=LazySequence({"sayso.providers.files.model:FACTS": "unchanged same_folder free"}),
    backends={
        "local": "sayso.providers.files.local.backend:build",
        "memory": "sayso.providers.files.memory:build",
    },
    default="local",
    kinds={"local": "the files of this computer"},
    context={"file.list": "sayso.providers.files.context:recent"},
)

"""The folder of the person's own actions: the usable ones that are in it now, and why other files cannot be used."""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.templates.definition import ActionTemplate, read_template

MOST_BYTES = 2**20
"""How many bytes one file may have."""
MOST_FILES = 1000


class Library(Struct, frozen=True):
    """The actions that are in the folder now, by file name, and one sentence for each file that cannot be used."""

    templates: tuple[ActionTemplate, ...] = ()
    warnings: tuple[str, ...] = ()

    def get(self, id_: str) -> ActionTemplate:
        """Return an action by its id. Raises `SetupError` that names all ids (S3-63) and each file that is unusable."""
        for template in self.templates:
            if template.id == id_:
                return template
        there = ". ".join((", ".join(template.id for template in self.templates) or "none", *self.warnings[:3]))
        raise SetupError(f'Template "{id_[:100]}" not found. Available templates: {there}', "template.not_found")

    def has(self, code: str) -> bool:
        """Return whether one of the actions has code with this hash."""
        return any(template.code == code for template in self.templates)


def load_library(folder: Path) -> Library:
    """Return the actions that are in the folder now (S3-60); a bad file only adds a warning (S3-58, S3-59).

    A file whose text has not changed is not parsed again.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py"))
    except FileNotFoundError:
        return Library()
    except OSError as error:
        return Library((), (f"{folder} could not be read: {error.strerror}",))
    if len(names) > MOST_FILES:
        return Library((), (f"{folder} holds {len(names):,} files; at most {MOST_FILES:,} are read",))
    helpers, warnings = _helpers(folder, names)
    found: dict[str, ActionTemplate] = {}
    for name in names:
        if name.startswith("_"):
            continue
        try:
            template = _parse_template(name, read_code(folder / name), tuple(helpers.items()))
        except SetupError as error:
            warnings.append(str(error))
            continue
        if template.id in found:
            first = found[template.id].file
            warnings.append(f"Invalid action template {name}: {first} has the id “{template.id}” already")
        else:
            found[template.id] = template
    return Library(tuple(found.values()), tuple(warnings))


@lru_cache(maxsize=MOST_FILES)
def _parse_template(file: str, text: str, helpers: tuple[tuple[str, str], ...]) -> ActionTemplate:
    # The cache key is the text and not the file's time, because a file may change twice within one tick of the clock.
    return read_template(file, text, dict(helpers))


def load_file(file: Path) -> ActionTemplate:
    """Return the action in one file in any folder. Raises `SetupError`."""
    try:
        names = sorted(entry.name for entry in os.scandir(file.parent) if entry.name.endswith(".py"))
    except OSError:
        names = []
    helpers, _ = _helpers(file.parent, names)
    return read_template(file.name, read_code(file), helpers)


def _helpers(folder: Path, names: list[str]) -> tuple[Mapping[str, str], list[str]]:
    helpers: dict[str, str] = {}
    warnings: list[str] = []
    for name in names:
        if name.startswith("_"):
            try:
                helpers[name.removesuffix(".py")] = read_code(folder / name)
            except SetupError as error:
                warnings.append(str(error))
    return helpers, warnings


def read_code(file: Path) -> str:
    """Return the text of a file of code. Raises `SetupError`."""
    try:
        # Opening a pipe or a device must not block.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        why = error.strerror or "it cannot be opened"
        raise SetupError(f"Invalid action template {file.name}: {why}", "template.invalid") from None
    except UnicodeDecodeError:
        raise SetupError(f"Invalid action template {file.name}: it is not UTF-8 text", "template.invalid") from None
    if len(data) > MOST_BYTES:
        raise SetupError(
            f"Invalid action template {file.name}: it is longer than {MOST_BYTES:,} bytes", "template.invalid"
        )
    return text

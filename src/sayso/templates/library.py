"""The folder of the person's own actions: what is in it now, and what of it cannot be used and why."""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.templates.definition import ActionTemplate, read_template

MOST_BYTES = 2**20
"""Bytes of one file; no action that a person wrote is longer."""
MOST_FILES = 1000


class Library(Struct, frozen=True):
    """The actions of one moment, by their files' names, and one sentence for each file that is none."""

    templates: tuple[ActionTemplate, ...] = ()
    warnings: tuple[str, ...] = ()

    def get(self, id_: str) -> ActionTemplate:
        """Return an action by its id. Raises `SetupError` that names those there are (S3-63)."""
        for template in self.templates:
            if template.id == id_:
                return template
        there = ", ".join(template.id for template in self.templates) or "none"
        raise SetupError(f'Template "{id_[:100]}" not found. Available templates: {there}', "template.not_found")

    def has(self, code: str) -> bool:
        """Say whether one of them still is this code."""
        return any(template.code == code for template in self.templates)


def load_library(folder: Path) -> Library:
    """Return what is in the folder now, read anew (S3-60); one bad file does not keep the others (S3-58, S3-59).

    A text that this process has parsed before is not parsed again.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py"))
    except FileNotFoundError:
        return Library()
    except OSError as odd:
        return Library((), (f"{folder} could not be read: {odd.strerror}",))
    if len(names) > MOST_FILES:
        return Library((), (f"{folder} holds {len(names):,} files; at most {MOST_FILES:,} are read",))
    helpers, warnings = _helpers(folder, names)
    found: dict[str, ActionTemplate] = {}
    for name in names:
        if name.startswith("_"):
            continue
        try:
            template = _parse_template(name, text_of(folder / name), tuple(helpers.items()))
        except SetupError as wrong:
            warnings.append(str(wrong))
            continue
        if template.id in found:
            first = found[template.id].file
            warnings.append(f"Invalid action template {name}: {first} has the id “{template.id}” already")
        else:
            found[template.id] = template
    return Library(tuple(found.values()), tuple(warnings))


@lru_cache(maxsize=MOST_FILES)
def _parse_template(file: str, text: str, helpers: tuple[tuple[str, str], ...]) -> ActionTemplate:
    # By its text and not by its file's times: a file can change twice within one tick of the clock.
    return read_template(file, text, dict(helpers))


def one_file(file: Path) -> ActionTemplate:
    """Return the action in one file, wherever it is. Raises `SetupError`."""
    try:
        names = sorted(entry.name for entry in os.scandir(file.parent) if entry.name.endswith(".py"))
    except OSError:
        names = []
    helpers, _ = _helpers(file.parent, names)
    return read_template(file.name, text_of(file), helpers)


def _helpers(folder: Path, names: list[str]) -> tuple[Mapping[str, str], list[str]]:
    helpers: dict[str, str] = {}
    warnings: list[str] = []
    for name in names:
        if name.startswith("_"):
            try:
                helpers[name.removesuffix(".py")] = text_of(folder / name)
            except SetupError as wrong:
                warnings.append(str(wrong))
    return helpers, warnings


def text_of(file: Path) -> str:
    """Return what stands in a file of code. Raises `SetupError`."""
    try:
        # A pipe or a device of this name must not hold anybody up.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as odd:
        why = odd.strerror or "it cannot be opened"
        raise SetupError(f"Invalid action template {file.name}: {why}", "template.invalid") from None
    except UnicodeDecodeError:
        raise SetupError(f"Invalid action template {file.name}: it is not UTF-8 text", "template.invalid") from None
    if len(data) > MOST_BYTES:
        raise SetupError(
            f"Invalid action template {file.name}: it is longer than {MOST_BYTES:,} bytes", "template.invalid"
        )
    return text

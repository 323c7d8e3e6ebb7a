"""What somebody who sets sayso up can be offered here: folders that are there, and models that could answer."""

import csv
import os
from collections.abc import Iterable, Mapping, Sequence

from sayso.config import Settings
from sayso.config.places import Places
from sayso.config.roots import roots_at
from sayso.core.errors import SaysoError, SetupError
from sayso.core.values import dataclass
from sayso.models.vendors import VENDORS, Vendor
from sayso.policy.paths import normal, within
from sayso.surfaces.cli.answering import lets_in

NONE = "none"
"""What is typed for no folder at all."""


@dataclass(frozen=True)
class Offered:
    """A model that could be asked, and why."""

    vendor: str
    says: str


async def models(environ: Mapping[str, str], vendors: Iterable[Vendor] = VENDORS) -> list[Offered]:
    """Return whose models could answer: programs on this computer, and vendors whose key stands in the environment."""
    found: list[Offered] = []
    for vendor in vendors:
        if vendor.needs_key:
            name = next((name for name in vendor.variables if environ.get(name, "").strip()), None)
            found += [Offered(vendor.name, f"{vendor.said}: its key stands in {name}")] if name else []
        elif vendor.url and await lets_in(vendor.url):
            found.append(Offered(vendor.name, f"{vendor.said} runs on this computer"))
    return found


def folders(settings: Settings) -> tuple[str, ...]:
    """Return the folders to offer, as a person writes them: those that hold now and are there, never a whole home."""
    at = settings.places
    return tuple(said_of(root, at) for root in settings.policy.roots if _may_be_typed(root, at))


def _may_be_typed(path: str, at: Places) -> bool:
    try:
        return folders_in(listed([said_of(path, at)]), at) == (said_of(path, at),)
    except SaysoError:
        return False


def said_of(path: str, at: Places) -> str:
    """Return a path below the person's home with `~`, any other as it is."""
    person = str(at.person)
    return f"~{path[len(person) :]}" if within(path, (person,)) else path


def listed(paths: Sequence[str]) -> str:
    """Return folders in one line, as `folders_in` reads them."""
    return ", ".join(f'"{path.replace(chr(34), chr(34) * 2)}"' if {",", '"'} & set(path) else path for path in paths)


def folders_in(typed: str, at: Places) -> tuple[str, ...]:
    """Return the folders typed in one line. Raises `SetupError`, and `ProposalError` for what is no path."""
    if typed.strip().casefold() == NONE:
        return ()
    words = next(csv.reader([typed], skipinitialspace=True), list[str]())
    names = dict.fromkeys(_whole(word.strip(), at) for word in words if word.strip())
    for name in names:
        if wrong := _why_not(name, at):
            raise SetupError(wrong, "setup.folder")
    return tuple(said_of(name, at) for name in names)


def _whole(word: str, at: Places) -> str:
    """Return what was typed as an absolute path; a name alone is a folder of the person's home."""
    person = str(at.person)
    return normal(word if word.startswith(("/", "~")) else f"{person}/{word}", person)


def _why_not(path: str, at: Places) -> str:
    """Say why a folder may not be one that actions reach; nothing where it may."""
    (root,), said = roots_at([path]), said_of(path, at)
    if within(os.path.realpath(at.person), (root.real,)):
        return f"“{said}” would be your whole home, with its keys and settings; name folders in it"
    if any(within(root.real, (os.path.realpath(own),)) for own in at.own_folders):
        return f"“{said}” is sayso's own, which nothing that a model proposes may reach"
    if not root.is_there:
        return f"“{said}” is not a folder that is there; make it first, or name another"
    return ""

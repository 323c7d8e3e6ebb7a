"""Where the program itself stands: what judges here, and what Python would load into it next time."""

import site
import sys
from collections.abc import Iterable
from pathlib import Path

from sayso.assembly.offered import offered
from sayso.config.own import ways
from sayso.policy.paths import within
from sayso.policy.settings import Policy

_OF_A_PREFIX = ("bin", "include", "lib", "lib64", "pyvenv.cfg")


def program(policy: Policy) -> tuple[str, ...]:
    """Return the folders and files of the program that lie where actions could come, the outermost ones."""
    near = (policy.home, policy.real_home, *policy.roots, *policy.real_roots)
    must = [*_packages(), *_parts_of_prefixes(near)]
    may = [place for place in _searched() if not _holds(place, near)]
    found = [form for place in (*must, *may) for form in ways(place)]
    reachable = [form for form in dict.fromkeys(found) if within(form, near) or _holds(form, near)]
    return tuple(form for form in reachable if not any(form != other and within(form, (other,)) for other in reachable))


def _packages() -> list[str]:
    """Return sayso's package, and those that bring providers."""
    names = {offer.module.partition(".")[0] for offer in offered()}
    return [place for name in ("sayso", *sorted(names)) for place in _places_of(name)]


def _places_of(name: str) -> list[str]:
    module = sys.modules.get(name)
    folders: Iterable[str] = getattr(module, "__path__", ())
    file: str | None = getattr(module, "__file__", None)
    return [_absolute(place) for place in folders] or ([_absolute(file)] if file else [])


def _parts_of_prefixes(near: tuple[str, ...]) -> list[str]:
    """Return the environment and the Python it stands on; only their parts where a root lies in one."""
    out: list[str] = []
    for prefix in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix)):
        place = _absolute(prefix)
        out += [f"{place.rstrip('/')}/{part}" for part in _OF_A_PREFIX] if _holds(place, near) else [place]
    return out


def _searched() -> list[str]:
    """Return where modules are looked for.

    The first entry is left out: it is the folder of the script or the working folder, and so the person's.
    The folder for packages of one person counts before it is there.
    """
    searched = sys.path if sys.flags.safe_path else sys.path[1:]
    user = site.getusersitepackages()
    cache = [sys.pycache_prefix] if sys.pycache_prefix else []
    return [_absolute(place) for place in (*searched, *cache, user) if place]


def _holds(place: str, near: Iterable[str]) -> bool:
    return any(within(folder, (place,)) for folder in near)


def _absolute(place: str) -> str:
    return str(Path(place).absolute())

"""What is sayso's own beyond its folder: every place and every path that leads to it by links."""

import os
from collections.abc import Iterable

from sayso.config.places import Places
from sayso.core.errors import SetupError
from sayso.policy.paths import within

_MOST_LINKS = 40


def also_own(at: Places) -> tuple[str, ...]:
    """Return what is sayso's own and lies in neither form of its folder: files, folders and ways there.

    A link may stand in the middle of a way, so each form that the way takes is named, not only the last.
    """
    own = (str(at.home), os.path.realpath(at.home))
    places = (*at.own_folders, at.config, at.actions, *at.state)
    found = dict.fromkeys(form for place in places for form in ways(str(place)))
    return tuple(form for form in found if not within(form, own))


def must_stand_apart(at: Places, real_roots: Iterable[str]) -> None:
    """Raise `SetupError` where a place that sayso writes to leads into a folder that actions may reach."""
    roots, own = tuple(real_roots), os.path.realpath(at.home)
    for place in at.state:
        real = os.path.realpath(place)
        if within(real, roots) and not within(real, (own,)):
            sentence = (
                f"{place} leads to {real} by a link, where actions may write; "
                "put it back into sayso's own folder, or take that folder out of policy.roots"
            )
            raise SetupError(sentence, "config.home")


def ways(path: str) -> tuple[str, ...]:
    """Return an absolute path in every form it takes while its links are followed, itself first."""
    forms = {path: None}
    here, ahead, links = "", _names(path), 0
    while ahead:
        name = ahead.pop(0)
        if name == "..":
            here = here.rpartition("/")[0]
            continue
        target = _target(f"{here}/{name}")
        if target is None or links == _MOST_LINKS:
            here = f"{here}/{name}"
            continue
        links += 1
        forms[_form(f"{here}/{name}", ahead)] = None
        here = "" if target.startswith("/") else here
        ahead = [*_names(target), *ahead]
    forms[here or "/"] = None
    return tuple(forms)


def _form(here: str, ahead: list[str]) -> str:
    """Return the way as far as it can be said without `..`, which means something only once links are followed."""
    sure = ahead[: ahead.index("..")] if ".." in ahead else ahead
    return "/".join((here, *sure))


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115 - Path.readlink() takes `.` and `//` out of the text
    except OSError:
        return None

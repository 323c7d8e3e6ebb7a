"""Follow the links of a path, name by name, and say where it leads; what is missing is taken as it is written."""

import os
from collections import deque

from sayso.core.errors import ProviderError
from sayso.providers.files import trouble

MOST_LINKS = 40


def resolved(path: str, said: str) -> str:
    """Return where the absolute `path` leads, every link followed. `said` names it in a sentence.

    The answer is only a text: whoever opens it must follow no link any more.
    """
    ahead = deque(part for part in path.split("/") if part)
    here: list[str] = []
    links = 0
    while ahead:
        name = ahead.popleft()
        if name == "..":
            del here[-1:]
            continue
        target = _target("/" + "/".join([*here, name]), said)
        if target is None:
            here.append(name)
            continue
        links += 1
        if links > MOST_LINKS:
            raise trouble.link_circle(said)
        if target.startswith("/"):
            here.clear()
        ahead.extendleft(part for part in reversed(target.split("/")) if part not in {"", "."})
    return "/" + "/".join(here)


def _target(path: str, said: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError as wrong:
        if len(os.fsencode(path)) >= os.pathconf("/", "PC_PATH_MAX"):
            raise ProviderError(f"“{said}” is too long a path", "path.too_long") from wrong
        return None

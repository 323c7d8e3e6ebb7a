"""What all file stores share: following links, matching names, and limiting what is returned."""

import fnmatch
from collections import deque
from collections.abc import Callable

from sayso.policy.programs import HEAD
from sayso.providers.files import errors
from sayso.providers.files.store import Content, FolderEntry, Listing

MOST_LINKS = 40


def resolve_links(path: str, said: str, target_of: Callable[[str], str | None]) -> str:
    """Return where the absolute `path` leads after following every link; missing names are kept as written.

    `target_of` returns the target of a link, and None for anything else. `said` is the path that an error names. The
    result is only text: code that opens it must not follow any link.
    """
    ahead = deque(part for part in path.split("/") if part not in {"", "."})
    names: list[str] = []
    links = 0
    while ahead:
        name = ahead.popleft()
        if name == "..":
            del names[-1:]
            continue
        target = target_of("/" + "/".join([*names, name]))
        if target is None:
            names.append(name)
            continue
        links += 1
        if links > MOST_LINKS:
            raise errors.link_circle(said)
        if target.startswith("/"):
            names.clear()
        ahead.extendleft(part for part in reversed(target.split("/")) if part not in {"", "."})
    return "/" + "/".join(names)


def show_name(name: str) -> str:
    r"""Return a name with bytes that are not UTF-8 written as `\xNN`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_like(name: str, pattern: str) -> bool:
    """Return whether a name matches a glob; case is ignored."""
    return fnmatch.fnmatchcase(name.casefold(), pattern.casefold())


def bound_entries(entries: list[FolderEntry], omitted: int, limit: int) -> Listing:
    """Return the first `limit` entries in the order of their paths, and add the others to `omitted`."""
    ordered = sorted(entries, key=lambda entry: entry.path.split("/"))
    return Listing(tuple(ordered[:limit]), omitted + max(0, len(ordered) - limit))


def content_of(data: bytes, total: int) -> Content:
    """Return the text of a file's first bytes; a character that is cut off at the end is left out."""
    whole = len(data) == total
    try:
        return Content(data.decode(), total, exact=whole, head=data[:HEAD])
    except UnicodeDecodeError as wrong:
        if not whole and wrong.end == len(data) and wrong.reason == "unexpected end of data":
            return Content(data[: wrong.start].decode(), total, exact=False, head=data[:HEAD])
        return Content(data.decode(errors="replace"), total, exact=False, head=data[:HEAD])

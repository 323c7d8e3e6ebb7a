"""What the file operations say alike: sizes, counts, and warnings about a tree or a file."""

import posixpath

from sayso.providers.files.store import Item


def size_in_words(size: int) -> str:
    """Write a size exactly: `1 byte`, `12,345 bytes`."""
    return "1 byte" if size == 1 else f"{size:,} bytes"


def things(count: int) -> str:
    """Write how many things there are: `1 thing`, `12 things`."""
    return "1 thing" if count == 1 else f"{count:,} things"


def named(item: Item, said: str) -> str:
    """Name an item with its kind unless it is a plain file, and of a folder how much it holds."""
    if item.kind == "folder":
        return f"the folder “{said}” with {things(item.entries)} in it ({size_in_words(item.size)})"
    return f"the link “{said}”" if item.kind == "link" else f"“{said}”"


def about_denied(item: Item, said: str, becomes: str) -> tuple[str, ...]:
    """Warn of protected names within a tree, such as those of a git checkout; nothing when there are none."""
    if not item.denied:
        return ()
    names = ", ".join(f"“{name}”" for name in item.denied)
    return (f"“{said}” holds protected names, which {becomes}: {names}",)


def about_other_names(item: Item, said: str, new: str) -> tuple[str, ...]:
    """Warn that a file has another name, which will keep the old content (a hard link)."""
    if item.links <= 1:
        return ()
    names = f"“{said}” has another name elsewhere ({item.links} names in all)"
    return (f"{names}: {new} goes under this name only, the other keeps what it has",)


def about_links(said: str, path: str) -> tuple[str, ...]:
    """Say where a path leads when a link on the way takes it elsewhere than it reads."""
    plain = posixpath.normpath(said)
    as_it_reads = path.endswith(plain[1:]) if plain.startswith("~") else path == plain
    return () if as_it_reads else (f"“{said}” leads to “{path}”",)

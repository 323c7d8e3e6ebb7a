"""List a folder, find names in it, read a text: reads whose results are text of strangers."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer
from sayso.core.schema import Line, UserPath
from sayso.providers.files.operations.support import size_in_words, things
from sayso.providers.files.store import Entry, Files, Listing

Most = Annotated[int, Meta(ge=1, le=1000, description="The most entries to return.")]
Characters = Annotated[int, Meta(ge=1, le=100_000, description="The most characters to return.")]
_LONGEST_CHARACTER = 4  # bytes in UTF-8


@operation("file.list", kind="read", asks="none", outside=True)
async def list_folder(files: Files, path: UserPath, limit: Most = 200) -> Answer:
    """List what a folder holds, one level, by name."""
    listing = await files.list(path, limit)
    return Answer(f"“{path}” holds {_count_entries(listing)}", _data(listing), _text(listing.entries))


@operation("file.find", kind="read", asks="none", outside=True)
async def find(files: Files, path: UserPath, pattern: Line, limit: Most = 200) -> Answer:
    """Find files and folders by name, anywhere below a folder; `*` and `?` stand for anything, case does not matter."""
    glob = pattern if set("*?[") & set(pattern) else f"*{pattern}*"
    listing = await files.find(path, glob, limit)
    summary = f"In “{path}”, {_count_entries(listing)} with a name like “{pattern}”"
    return Answer(summary, _data(listing), _text(listing.entries))


@operation("file.read", kind="read", asks="none", outside=True)
async def read(files: Files, path: UserPath, limit: Characters = 10_000) -> Answer:
    """Read a text file from its beginning: so many characters, or 10,000."""
    found = await files.opened(path)
    content = await files.read(path, limit * _LONGEST_CHARACTER)
    if "\0" in content.text or (not content.exact and content.total <= limit * _LONGEST_CHARACTER):
        raise ProviderError(f"“{path}” is not a text file ({size_in_words(content.total)})", "file.not_text")
    text = content.text[:limit]
    data: dict[str, Json] = {
        "text": text,
        "path": found.path,
        "truncated": not content.exact or len(text) < len(content.text),
        "total_bytes": content.total,
    }
    part = "the beginning of " if data["truncated"] else ""
    return Answer(f"Read {part}“{path}” ({size_in_words(content.total)})", data, text)


def _count_entries(listing: Listing) -> str:
    left = f", {listing.omitted:,} left out" if listing.omitted else ""
    return things(len(listing.entries)) + left


def _data(listing: Listing) -> dict[str, Json]:
    return {"files": [_entry(entry) for entry in listing.entries], "omitted": listing.omitted}


def _entry(entry: Entry) -> dict[str, Json]:
    modified = datetime.fromtimestamp(entry.mtime_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"path": entry.path, "name": entry.name, "kind": entry.kind, "size": entry.size, "modified": modified}


def _text(entries: Sequence[Entry]) -> str:
    return "\n".join(entry.name + ("/" if entry.kind == "folder" else "") for entry in entries)


OPERATIONS: tuple[Operation, ...] = (list_folder, find, read)

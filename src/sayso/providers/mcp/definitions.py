"""The tools of a wrapped server as the person saw them: read from its answer, kept in a file, compared later."""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct, field

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import texts_in
from sayso.core.quotes import is_unseen, quoted, visible
from sayso.providers.mcp.servers import WrappedServer

MOST_TOOLS = 500
MOST_PROPERTIES = 200
LONGEST_DEFINITION = 64 * 1024
LONGEST_PROSE = 1000
_NAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_PROSE = frozenset({"description", "title", "$comment"})
_BOUND = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The members of a definition that its digest covers."""


class ToolDefinition(Struct, frozen=True, dict=True):
    """What a server says of one tool, with unknown members left out of the digest but not of `said`."""

    name: str
    said: Mapping[str, Json]

    @cached_property
    def digest(self) -> str:
        """Return a digest of name, description, schemas and annotations; approvals and grants are bound to it."""
        bound = {key: self.said[key] for key in _BOUND if key in self.said}
        return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()

    @property
    def description(self) -> str:
        """Return what the server says of the tool, on one line and not too long; it is not yet made inert."""
        said = self.said.get("description") or self.said.get("title")
        return one_line(said) if isinstance(said, str) else ""

    @property
    def schema(self) -> Mapping[str, Json]:
        """Return the schema of the arguments, with its prose inert; the server checks the arguments by its own."""
        return cast("Mapping[str, Json]", _inert(self.said.get("inputSchema") or {"type": "object"}))

    @property
    def properties(self) -> Mapping[str, Json]:
        """Return the schemas of the arguments by name."""
        found = self.schema.get("properties")
        return cast("Mapping[str, Json]", found) if isinstance(found, Mapping) else {}

    @property
    def required(self) -> Sequence[str]:
        """Return the names of the arguments that must be given."""
        found = self.schema.get("required")
        return [one for one in cast("list[Json]", found) if isinstance(one, str)] if isinstance(found, list) else []

    def hint(self, name: str) -> bool | None:
        """Return an annotation of the server; None if it says nothing."""
        hints = self.said.get("annotations")
        value = cast("Mapping[str, Json]", hints).get(name) if isinstance(hints, Mapping) else None
        return value if isinstance(value, bool) else None


class Pinned(Struct, frozen=True):
    """The tools of a server as the person saw them when they wrapped it or accepted a change."""

    identity: str
    tools: tuple[ToolDefinition, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools that cannot be used, each with the reason."""


def read_tools(answers: Iterable[Json]) -> tuple[tuple[ToolDefinition, ...], dict[str, str]]:
    """Return the usable tools in a server's answers, and why others are left out."""
    usable: dict[str, ToolDefinition] = {}
    left_out: dict[str, str] = {}
    for said in answers:
        name = cast("Mapping[str, Json]", said).get("name") if isinstance(said, Mapping) else None
        shown = shorten(name, 80) if isinstance(name, str) else "a tool without a name"
        why = _why_unusable(name, cast("Mapping[str, Json]", said) if isinstance(said, Mapping) else {})
        if why or name in usable or not isinstance(name, str):
            left_out[shown] = why or "two tools have this name"
            usable.pop(str(name), None)
        elif name not in left_out:
            usable[name] = ToolDefinition(name, cast("Mapping[str, Json]", said))
    return tuple(usable[name] for name in sorted(usable)), left_out


def _why_unusable(name: Json, said: Mapping[str, Json]) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "its name has characters that sayso takes in no name of a tool"
    if len(json.dumps(said)) > LONGEST_DEFINITION:
        return "its definition is too long"
    schema = said.get("inputSchema")
    if not isinstance(schema, Mapping) or cast("Mapping[str, Json]", schema).get("type") != "object":
        return "it says nothing usable of its arguments"
    if _hides(cast("Json", schema)) or _hides(said.get("outputSchema")):
        return "what it says of its arguments or results holds characters that cannot be shown"
    members = cast("Mapping[str, Json]", schema).get("properties", {})
    if not isinstance(members, Mapping) or len(cast("Mapping[str, Json]", members)) > MOST_PROPERTIES:
        return "it has too many arguments"
    odd = [one for one in cast("Mapping[str, Json]", members) if visible(one) != one or not one or len(one) > _LONG]
    return "the name of an argument has characters that cannot be shown" if odd else ""


def _hides(schema: Json) -> bool:
    """Return whether a schema has unseen characters outside its prose, which is made inert wherever it is shown."""
    letters = frozenset("".join(texts_in(_inert(schema)))) - {"\n", "\t", "\r"}
    return any(map(is_unseen, letters))


_LONG = 100


def shorten(text: str, most: int = LONGEST_PROSE) -> str:
    """Return a text of a server inert, on one line, and cut after `most` characters."""
    return visible(one_line(text, most))


def one_line(text: str, most: int = LONGEST_PROSE) -> str:
    """Return a text of a server on one line, cut after `most` characters, with all that is in it."""
    plain = " ".join(text[: 4 * most].split())
    return plain if len(plain) <= most else f"{plain[:most]}…"


def _inert(schema: Json) -> Json:
    if isinstance(schema, Mapping):
        members = cast("Mapping[str, Json]", schema)
        return {
            name: shorten(value) if name in _PROSE and isinstance(value, str) else _inert(value)
            for name, value in members.items()
        }
    if isinstance(schema, list):
        return [_inert(one) for one in cast("list[Json]", schema)]
    return schema


def place_of(own: str, server: str) -> Path:
    """Return the file that keeps the tools of a server, in sayso's own folder."""
    return Path(own, "mcp", f"{server}.json")


def keep(own: str, server: str, pinned: Pinned) -> None:
    """Write the tools of a server. Raises `SetupError`."""
    file = place_of(own, server)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _only_writer(file.parent):
            temporary = file.with_name(f".{file.name}.new")
            temporary.unlink(missing_ok=True)  # left by a process that was killed
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                json.dump(msgspec.to_builtins(pinned), opened, ensure_ascii=False)
                opened.flush()
                os.fsync(descriptor)
            temporary.replace(file)
    except OSError as error:
        raise SetupError(f"{file} cannot be written: {error.strerror}", "mcp.file") from None


@contextmanager
def _only_writer(folder: Path) -> Generator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def forget(own: str, server: str) -> None:
    """Remove the tools of a server."""
    place_of(own, server).unlink(missing_ok=True)


def kept(own: str, server: WrappedServer) -> Pinned | None:
    """Return the tools of a server as they were accepted; None if they never were. Raises `SetupError`."""
    file = place_of(own, server.name)
    try:
        return msgspec.convert(json.loads(file.read_text("utf-8")), Pinned)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        again = f"sayso mcp accept {server.name}"
        raise SetupError(f"{file} cannot be read; {again}", "mcp.file") from None


class Difference(Struct, frozen=True):
    """How one tool differs from what was accepted, for the person."""

    tool: str
    how: str
    was: str = ""
    now: str = ""

    @property
    def said(self) -> str:
        """Return the difference in words."""
        texts = f": {quoted(self.was)} became {quoted(self.now)}" if self.was != self.now else ""
        return f"{self.tool} {self.how}{texts}"


def differences(before: Sequence[ToolDefinition], after: Sequence[ToolDefinition]) -> list[Difference]:
    """Return how the tools of a server differ from those that were accepted."""
    old, new = {tool.name: tool for tool in before}, {tool.name: tool for tool in after}
    gone = [Difference(name, "is gone") for name in old if name not in new]
    more = [Difference(name, "is new", now=new[name].description) for name in new if name not in old]
    other = [
        Difference(name, _how(old[name], new[name]), old[name].description, new[name].description)
        for name in new
        if name in old and old[name].digest != new[name].digest
    ]
    return [*gone, *more, *other]


def _how(old: ToolDefinition, new: ToolDefinition) -> str:
    words = {"description": "description", "inputSchema": "arguments", "outputSchema": "result", "title": "title"}
    changed = [word for key, word in words.items() if old.said.get(key) != new.said.get(key)]
    if old.said.get("annotations") != new.said.get("annotations"):
        changed.append("annotations")
    return f"has another {' and '.join(changed) or 'definition'}"

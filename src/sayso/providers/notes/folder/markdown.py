"""A note as a Markdown file: front matter with title, date and tags, and a body that stands as it is."""

import json
import re
import unicodedata

from sayso.core.values import dataclass

SUFFIXES = (".md", ".markdown")
_FRONT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?P<lines>(?:(?!---[ \t]*\r?$)[^\n]*\n)*?)---[ \t]*(?:\r?\n|\Z)", re.MULTILINE
)
_KEY = re.compile(r"(?P<key>[A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?\"<>|#^\[\]]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_LONGEST = 120
"""Bytes that a title gives to the name of its file."""


@dataclass(frozen=True, slots=True)
class Front:
    """What stands at the head of a note, as far as it is known here."""

    title: str = ""
    id: str = ""


def written(note_id: str, title: str, body: str, date: str) -> bytes:
    """Return a new note as it stands in its file."""
    dated = [f"date: {date}"] if date else []
    lines = ["---", f"title: {json.dumps(title, ensure_ascii=False)}", *dated, "tags: []", f"id: {note_id}", "---", ""]
    return "\n".join(lines).encode() + body.encode()


def read(data: bytes) -> tuple[Front, bytes]:
    """Return the head of a note and its body; a file without a head is all body."""
    found = _FRONT.match(data)
    if found is None:
        return Front(), data.removeprefix(b"\xef\xbb\xbf")
    known: dict[str, str] = {}
    for line in found["lines"].decode("utf-8", "replace").splitlines():
        key = _KEY.fullmatch(line)
        if key is not None:
            known.setdefault(key["key"].lower(), _scalar((key["value"] or "").strip()))
    return Front(" ".join(known.get("title", "").split()), known.get("id", "")), data[found.end() :]


def _scalar(value: str) -> str:
    """Return a text as YAML writes it on one line: plain, or in quotes of either kind."""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value.partition(" #")[0].rstrip()


def file_name(title: str) -> str:
    """Return a name for the file of a note that every file system and editor takes, without its suffix."""
    words = " ".join(_NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    while len(words.encode()) > _LONGEST:
        words = words[:-1].rstrip(". ")
    return f"{words} note" if _DEVICES.match(words) else words or "Note"


def stem(name: str) -> str:
    """Return what a file is called without its suffix."""
    return name.rpartition(".")[0]

"""Find actions of the journal by words, by where they were asked from and by who approved them, a part at a time."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.ports import RecordQuery
from sayso.core.record import Record
from sayso.journal.reader import JournalReader
from sayso.journal.rows import Texts, decode_json, encode_json


class Wanted(Struct, frozen=True):
    """What to look for beside what an index finds; an empty part means anything."""

    words: tuple[str, ...] = ()
    """Each of them stands somewhere in what was said, planned, done or answered, in upper or lower case."""
    entries: frozenset[str] = frozenset()
    """The surfaces from which it was asked."""
    approved_by: frozenset[str] = frozenset()
    """How it was approved or declined; `grant` means any standing permission."""


class Found(Struct, frozen=True):
    """Some of what was found, newest first, and from where to look on."""

    records: tuple[Record, ...]
    further: int | None
    """The key of the oldest action that was looked at; None if there is nothing older."""
    since: str | None = None
    """When that action was proposed."""


def search(reader: JournalReader, query: RecordQuery, wanted: Wanted, enough: Callable[[], bool]) -> Found:
    """Return the newest actions that fit, at most as many as the query says, and until it is enough."""
    out: list[Record] = []
    known: dict[str, bool] = {}
    for row in reader.stored_rows(query):
        if _may_fit(row, wanted, reader, known):
            record = reader.record(row)
            if _fits(record, wanted):
                out.append(record)
        if len(out) >= query.limit or enough():
            return Found(tuple(out), row[0], reader.record(row).time)
    return Found(tuple(out), None)


def _may_fit(row: Sequence[Any], wanted: Wanted, reader: JournalReader, known: dict[str, bool]) -> bool:
    """Return whether a row may fit, without reading it as a record, which takes ten times as long."""
    if wanted.entries:
        origin = cast("str", row[5])
        if origin not in known:
            known[origin] = cast("dict[str, Json]", decode_json(origin))["entry"] in wanted.entries
        if not known[origin]:
            return False
    marks = cast("str", row[17])
    if wanted.approved_by and '"approved_by":"' not in marks:
        return False
    if not wanted.words:
        return True
    text = _written_out(f"{row[3]}{row[10]}{marks}", row, reader, wanted).casefold()
    return all(encode_json(word)[1:-1].casefold() in text for word in wanted.words if not _is_id(word))


def _written_out(text: str, row: Sequence[Any], reader: JournalReader, wanted: Wanted) -> str:
    """Return the texts of a row without its own abbreviations.

    The texts that all rows share are structure; of a value, none of them can be more than quotes, colons and braces.
    """
    texts = cast("Texts", tuple(row[11:15]))
    if any({*word} & _STRUCTURE for word in wanted.words):
        return reader.shorthand.long(text, texts)
    for code, own in enumerate(texts, 1):
        if own:
            text = text.replace(chr(code), own)
    return text


_STRUCTURE = frozenset('":{},')


def _is_id(word: str) -> bool:
    """Return whether a word may be an id, which does not stand in a row as text."""
    return word.casefold().startswith(("do_", "run_"))


def _fits(record: Record, wanted: Wanted) -> bool:
    by = record.marks.approved_by or ""
    if wanted.approved_by and by not in wanted.approved_by and by.partition(":")[0] not in wanted.approved_by:
        return False
    text = "\n".join(_texts(record)).casefold()
    return all(word.casefold() in text for word in wanted.words)


def _texts(record: Record) -> list[str]:
    plan, marks = record.plan or {}, record.marks
    told = [record.id, record.run, record.operation, record.said, record.label, marks.message, marks.error]
    told += [plan.get("summary"), *_listed(plan.get("sends")), *_listed(plan.get("loses")), *_inside(record.arguments)]
    return [one for one in told if isinstance(one, str)]


def _listed(value: Json) -> Sequence[Json]:
    return cast("Sequence[Json]", value) if isinstance(value, list) else ()


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [text for one in cast("dict[str, Json]", value).values() for text in _inside(one)]
    return [text for one in _listed(value) for text in _inside(one)] or [value]

"""Remove the values of arguments that the settings name from a record, wherever they occur in it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast
from urllib.parse import unquote

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.normal_forms import normal_form
from sayso.core.plan import NOT_KEPT, NotKept
from sayso.core.record import Record, State, StepRecord

REDACTED = "[redacted]"
SHORT = 4
"""A value shorter than this is removed only where it is a word of its own, because “a” occurs in every sentence."""


def redact_record(record: Record, patterns: Sequence[str]) -> Record:
    """Return the record without the values of arguments that a pattern names (`password`, `mail.send.body`).

    A plan, a message or an error may contain a part of a value or another form of it: one of several recipients, the
    host of an address, an absolute path. So every text that comes from the arguments is replaced by “[redacted]”, and
    not only the value itself. The steps are kept only if what undoes them has no word in common with the values;
    otherwise the action cannot be undone. Digests and codes are not changed.

    The original text of a proposal that was not understood is replaced if a pattern may name an argument in it.
    """
    if record.undo_of is not None:
        return record  # its only argument is the id of the action, whose row has no values any more
    arguments, values = without(record.operation or "", record.arguments, patterns)
    named = any(value.strip() for value in values)
    unread = record.state is State.INVALID or (record.said != "" and not named)
    if unread and may_name_arguments(record.operation or "", patterns):
        return _without_texts(record, {}, None)
    if not named:
        return record
    hide = Redactor(values)
    kept = cast("Mapping[str, Json]", hide.value(arguments))
    return _without_texts(record, kept, _KeptUndo(values, frozenset(_texts(kept))))


def _without_texts(record: Record, arguments: Mapping[str, Json], undo: "_KeptUndo | None") -> Record:
    marks, verdict, plan = record.marks, record.verdict, record.plan
    changes = undo.changes(record) if undo and plan else None
    nothing: Json = {"do": {"step": NotKept.step}, "undo": {"cannot": NOT_KEPT}, "expects": {}}
    if plan is not None:
        words: dict[str, Json] = {
            **{name: plan[name] for name in ("on_failure", "asks") if name in plan},
            **{name: REDACTED if plan.get(name) else "" for name in ("summary", "said_when_done", "preview")},
            **{name: [REDACTED] if plan.get(name) else [] for name in ("loses", "sends", "warns")},
            "changes": changes or [nothing] * len(cast("Sequence[Json]", plan.get("changes") or ())),
            "data": {},
        }
        plan = words
    marks = replace(
        marks,
        message=marks.message and REDACTED,
        error=marks.error and REDACTED,
        changes=tuple(
            StepRecord(mark.outcome, mark.left if changes or mark.left is None else {}) for mark in marks.changes
        ),
    )
    return replace(
        record,
        said=REDACTED if record.said else "",
        label=record.label and REDACTED,
        arguments=arguments,
        plan=plan,
        verdict=verdict and replace(verdict, because=verdict.because and REDACTED),
        warns=(REDACTED,) if record.warns else (),
        marks=marks,
    )


def may_name_arguments(operation: str, patterns: Sequence[str]) -> bool:
    """Return whether a pattern may name an argument of the operation, or of one that is not known (an empty text)."""
    return any(_may_name(operation, pattern_of(pattern)) for pattern in patterns)


def _may_name(operation: str, pattern: str) -> bool:
    parts = pattern.split(".")
    return not operation or any(fnmatchcase(operation, ".".join(parts[:n])) for n in range(1, len(parts) + 1))


_WORD = re.compile(r"[^\W_]+")


def _plain(text: str) -> str:
    return normal_form(unquote(text), "NFKC").casefold()


def _is_place(value: str) -> bool:
    """Return whether a value is a path or an address; a step may contain a form of it that has no word in common."""
    text = value.strip()
    if text.startswith(("~", "/", "./", "../")) or text[1:3] == ":\\":
        return True
    return ("/" in text or "\\" in text) and len(text.split(None, 1)) == 1


class _KeptUndo:
    """Decides whether what undoes an action may be kept: only if it has no word in common with the removed values."""

    def __init__(self, values: frozenset[str], kept: frozenset[str]) -> None:
        self._place = any(map(_is_place, values))
        named = {word for value in values for text in (value, unquote(value)) for word in _WORD.findall(_plain(text))}
        self._words = named - {word for text in kept for word in _WORD.findall(_plain(text))}

    def changes(self, record: Record) -> list[Json] | None:
        """Return the changes with what their undo needs, without values elsewhere; None if an undo contains any."""
        changes = cast("Sequence[Mapping[str, Any]]", (record.plan or {}).get("changes") or ())
        undos = [cast("Mapping[str, Json]", change.get("undo", {"cannot": ""})) for change in changes]
        lefts = [mark.left or {} for mark in record.marks.changes]
        if self._place or all("cannot" in undo for undo in undos):
            return None
        needed = [value for undo in undos if "cannot" not in undo for name, value in undo.items() if name != "step"]
        for left in lefts:
            for abouts in cast("Mapping[str, Mapping[str, Mapping[str, Json]]]", left).values():
                needed += [*abouts, *(value for members in abouts.values() for value in members.values())]
        if not all(self._free(value) for value in needed):
            return None
        return [
            {
                "do": {name: value if name == "step" else self._scrub(value) for name, value in change["do"].items()},
                "undo": {"cannot": NOT_KEPT} if "cannot" in undo else undo,
                "expects": {},
            }
            for change, undo in zip(changes, undos, strict=True)
        ]

    def _free(self, value: Json) -> bool:
        if value is None or isinstance(value, bool):
            return True
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Json]", value)
            return all(self._free(name) and self._free(item) for name, item in members.items())
        if isinstance(value, list | tuple):
            return all(map(self._free, cast("Sequence[Json]", value)))
        text = _plain(str(value))
        return self._words.isdisjoint(_WORD.findall(text)) and not any(
            len(word) >= SHORT and word in text for word in self._words
        )

    def _scrub(self, value: Json) -> Json:
        if isinstance(value, list | tuple):
            return [self._scrub(item) for item in cast("Sequence[Json]", value)]
        if self._free(value):
            return value
        return 0 if isinstance(value, int | float) else REDACTED


def without(
    name: str, arguments: Mapping[str, Json], patterns: Sequence[str]
) -> tuple[Mapping[str, Json], frozenset[str]]:
    """Return the arguments, in which the values that patterns name are replaced, and the replaced texts."""
    values: set[str] = set()
    paths = [*map(pattern_of, patterns)]
    # A pattern such as *.query also matches the name of an operation (mail.query), which is no argument.
    left = {key: _without(f"{name}.{key}", value, paths, values) for key, value in arguments.items()}
    return left, frozenset(values)


def pattern_of(name: str) -> str:
    """Return the glob that a name stands for: a name without a dot is that of an argument of any operation."""
    return name if "." in name else f"*.{name}"


def _without(path: str, value: Json, patterns: Sequence[str], values: set[str]) -> Json:
    if any(fnmatchcase(path, pattern) for pattern in patterns) and value is not None:
        values.update(_texts(value))
        return REDACTED
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Json]", value)
        return {name: _without(f"{path}.{name}", item, patterns, values) for name, item in members.items()}
    if isinstance(value, list | tuple):
        return [_without(path, item, patterns, values) for item in cast("Sequence[Json]", value)]
    return value


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in cast("Mapping[str, Json]", value).values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Json]", value):
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def hide_texts(result: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a result with “[redacted]” for everything in it but null, true and false, which contain no value."""
    return {name: value if value is None or isinstance(value, bool) else REDACTED for name, value in result.items()}


class Redactor:
    """Replaces values by “[redacted]” in any text, also single lines of a value and its form in JSON."""

    def __init__(self, values: frozenset[str]) -> None:
        self._numbers = frozenset(value for value in values if len(value) >= SHORT)
        spelled = {text for value in values for text in (value, value.strip(), *value.splitlines())}
        spelled |= {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in spelled for ascii_only in (True, False)}
        spelled |= {repr(text)[1:-1] for text in spelled}
        longest_first = sorted((text for text in spelled if text.strip()), key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(map(_redact_value, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """Return a text without the values."""
        return self._pattern.sub(REDACTED, text) if self._pattern else text

    def maybe(self, text: str | None) -> str | None:
        """Return a text without the values; None stays None."""
        return None if text is None else self.text(text)

    def value(self, value: Json) -> Json:
        """Return a JSON value without the values in its texts and keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(item) for name, item in cast("Mapping[str, Json]", value).items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in cast("Sequence[Json]", value)]
        return REDACTED if str(value) in self._numbers else value

    def mapping(self, value: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
        """Return a JSON object without the values; None stays None."""
        return None if value is None else cast("Mapping[str, Json]", self.value(value))


def _redact_value(value: str) -> str:
    escaped = re.escape(value)
    return escaped if len(value) >= SHORT else rf"(?<!\w){escaped}(?!\w)"

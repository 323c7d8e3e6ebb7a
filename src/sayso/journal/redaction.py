"""Remove the values of arguments that the settings name from a record, wherever they occur in it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import cast

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.record import Record, StepRecord

REDACTED = "[redacted]"
SHORT = 4
"""A value shorter than this is removed only where it is a word of its own, because “a” occurs in every sentence."""


def redact_record(record: Record, patterns: Sequence[str]) -> Record:
    """Return the record with every argument that a pattern names (`password`, `mail.send.body`) redacted.

    The values are also removed from plan, verdict, label and outcome. The original text and the preview are removed
    completely, because they may contain the values in another form. Digests are not changed.
    """
    arguments, values = without(record.operation or "", record.arguments, patterns)
    if not values:
        return record
    hide = Redactor(values)
    marks = replace(
        record.marks,
        message=hide.maybe(record.marks.message),
        error=hide.maybe(record.marks.error),
        changes=tuple(StepRecord(mark.outcome, hide.mapping(mark.left)) for mark in record.marks.changes),
    )
    verdict = record.verdict and replace(record.verdict, because=hide.text(record.verdict.because))
    plan = hide.mapping(record.plan)
    if plan and plan.get("preview"):
        plan = {**plan, "preview": REDACTED}  # a diff splits the value into lines
    return replace(
        record,
        said=REDACTED if record.said else "",
        label=hide.maybe(record.label),
        arguments=cast("Mapping[str, Json]", hide.value(arguments)),
        plan=plan,
        verdict=verdict,
        marks=marks,
    )


def without(
    name: str, arguments: Mapping[str, Json], patterns: Sequence[str]
) -> tuple[Mapping[str, Json], frozenset[str]]:
    """Return the arguments, in which the values that patterns name are replaced, and the replaced texts."""
    values: set[str] = set()
    paths = [*map(pattern_of, patterns)]
    return cast("Mapping[str, Json]", _without(name, arguments, paths, values)), frozenset(values)


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

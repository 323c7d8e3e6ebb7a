"""The daily log of template runs: one JSON line per run in `YYYY-MM-DD.jsonl`, beside the journal."""

import fcntl
import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, to_builtins

from sayso.core.encoding import Json
from sayso.journal.hash_chain import line
from sayso.journal.redaction import REDACTED, Redactor, hide_texts, without
from sayso.journal.rows import decode_json

_BLOCK = 65536
_NAME = "[0-9]" * 4 + "-[0-9][0-9]-[0-9][0-9].jsonl"


class LogEntry(Struct, frozen=True, rename="camel"):
    """The log entry of one run of a template, with its parameters and result."""

    timestamp: str
    """ISO 8601; its date in UTC is the name of the file."""
    instance_id: str
    template_id: str
    session_id: str
    params: Mapping[str, Json]
    result: Mapping[str, Json]
    duration: int
    """Milliseconds from the start to the result."""
    error: str | None = None

    def json(self) -> dict[str, Json]:
        """Return the entry in the format of S3; `error` is always included."""
        return to_builtins(self)

    @staticmethod
    def read(text: str) -> "LogEntry":
        """Parse a line. Raises `ValueError` if it is damaged."""
        members = cast("dict[str, Any]", decode_json(text))
        try:
            entry = LogEntry(
                members["timestamp"], members["instanceId"], members["templateId"], members["sessionId"],
                members["params"], members["result"], members["duration"], members.get("error"),
            )  # fmt: skip
        except (KeyError, TypeError) as missing:
            raise ValueError(text[:60]) from missing
        return entry


@dataclass(frozen=True)
class DailyLog:
    """The log files in `folder`; errors are never raised but reported to `warn` in one sentence.

    `redact` names values that are not stored, by `param` or `template_id.param` (globs).
    """

    folder: str
    warn: Callable[[str], None]
    redact: tuple[str, ...] = ()
    _sync: Callable[[int], None] = field(default=os.fsync, repr=False)

    def append(self, entry: LogEntry, secret: Collection[str] = ()) -> bool:
        """Add an entry durably; return False, after a warning, if it could not be written.

        `secret` names the parameters that the template's schema marks with `secret: true`.
        """
        try:
            text = line(self._redact(entry, secret).json())
            with self._lock(self._file_of(entry)) as handle:
                _write(handle, text.encode() + b"\n")
                self._sync(handle)
        except (OSError, ValueError) as failure:
            self.warn(f"the log record of {entry.instance_id} could not be written to {self.folder}: {failure}")
            return False
        return True

    def without_values(self, entry: LogEntry, secret: Collection[str] = ()) -> LogEntry:
        """Return an entry without the values that are not stored."""
        return self._redact(entry, secret)

    def redact_lines(self, entry: LogEntry, secret: Collection[str], lines: Sequence[str]) -> list[str]:
        """Return the lines of an entry's run; each is replaced if a parameter's value is not stored.

        A handler may write a value in any form, such as a part of it.
        """
        return [REDACTED for _ in lines] if self._hidden(entry, secret)[1] else list(lines)

    def of_template(self, template_id: str, limit: int = 50) -> list[LogEntry]:
        """Return a template's entries of all days, newest first; damaged lines are skipped with a warning."""
        found: list[LogEntry] = []
        for file in sorted(Path(self.folder).glob(_NAME), reverse=True):
            for entry in self._entries(file):
                if len(found) >= limit:
                    return found
                if entry.template_id == template_id:
                    found.append(entry)
        return found

    def _entries(self, file: Path) -> Iterator[LogEntry]:
        damaged = 0
        try:
            for text in _backwards(file):
                try:
                    yield LogEntry.read(text.decode())
                except ValueError:
                    damaged += 1
        except OSError as failure:
            self.warn(f"{file} could not be read: {failure.strerror}")
        if damaged:
            self.warn(f"{damaged} damaged {'line' if damaged == 1 else 'lines'} in {file} skipped")

    def _redact(self, entry: LogEntry, secret: Collection[str]) -> LogEntry:
        params, values = self._hidden(entry, secret)
        if not values:
            return entry
        hide = Redactor(values)
        return LogEntry(
            entry.timestamp, entry.instance_id, entry.template_id, entry.session_id,
            cast("Mapping[str, Json]", hide.value(params)), hide_texts(hide.mapping(entry.result) or {}),
            entry.duration, entry.error and REDACTED,
        )  # fmt: skip

    def _hidden(self, entry: LogEntry, secret: Collection[str]) -> tuple[Mapping[str, Json], frozenset[str]]:
        """Return the parameters as they are stored, and the values that are not."""
        patterns = (*self.redact, *(f"{literal(entry.template_id)}.{literal(name)}" for name in secret))
        return without(entry.template_id, entry.params, patterns)

    def _file_of(self, entry: LogEntry) -> Path:
        moment = datetime.fromisoformat(entry.timestamp)
        day = moment.astimezone(UTC) if moment.tzinfo else moment
        return Path(self.folder) / f"{day:%Y-%m-%d}.jsonl"

    @contextmanager
    def _lock(self, file: Path) -> Generator[int]:
        for folder in (file.parent.parent, file.parent):
            if not folder.is_dir():
                folder.mkdir(0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            os.fchmod(handle, 0o600)
            self._mend(handle, file)
            yield handle
        finally:
            os.close(handle)

    def _mend(self, handle: int, file: Path) -> None:
        """Remove an incomplete last line that a crash left, so that the next entry begins on a new line."""
        size = os.fstat(handle).st_size
        if not size or os.pread(handle, 1, size - 1) == b"\n":
            return
        start, rest = size, b""
        while start and b"\n" not in rest:
            block = min(_BLOCK, start)
            start -= block
            rest = os.pread(handle, block, start)
        whole = start + rest.rfind(b"\n") + 1
        os.ftruncate(handle, whole)
        self.warn(f"the last line of {file} was cut off by a crash; its {size - whole} bytes were removed")


def _write(handle: int, data: bytes) -> None:
    """Write all of the data or, if the disk is full, nothing."""
    size = os.fstat(handle).st_size
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError:
        os.ftruncate(handle, size)
        raise


def _backwards(file: Path) -> Iterator[bytes]:
    """Return the lines of a file from last to first, with at most one block and one line in memory."""
    with file.open("rb") as opened:
        position, rest = opened.seek(0, os.SEEK_END), b""
        while position:
            block = min(_BLOCK, position)
            position -= block
            opened.seek(position)
            first, *lines = (opened.read(block) + rest).split(b"\n")
            yield from (text for text in reversed(lines) if text)
            rest = first
        if rest:
            yield rest


def literal(name: str) -> str:
    """Return a pattern that matches this name alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)

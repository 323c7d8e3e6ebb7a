"""What is kept of each run of an own action: a line in the log of its day, and the handler's lines in the journal."""

from collections.abc import Sequence

from msgspec import Struct

from sayso.assembly.home import Home
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.instances import ChatMessage
from sayso.journal.run_log import DailyLog, LogEntry
from sayso.runtime.services import log_warning
from sayso.templates.runner import HandlerLine

EXECUTING = "Executing action: "


class LoggedRun(Struct, frozen=True):
    """One run of an action as it was logged: its entry, and the lines that were written during it."""

    entry: LogEntry
    lines: tuple[HandlerLine, ...] = ()

    @property
    def label(self) -> str:
        """Return what whoever offered the action called it, or "" if that is not known."""
        return next((one.text for one in self.lines if one.text.startswith(EXECUTING)), "").removeprefix(EXECUTING)

    @property
    def said(self) -> tuple[HandlerLine, ...]:
        """Return the lines that the handler itself wrote."""
        return tuple(one for one in self.lines if not one.text.startswith(EXECUTING))

    def json(self) -> dict[str, Json]:
        """Return the entry in the format of S3, and the lines beside it."""
        lines: list[Json] = [{"level": one.level, "text": one.text} for one in self.lines]
        return {**self.entry.json(), "lines": lines}


class ActionLog:
    """The log of a home's own actions. What cannot be written is reported, and stops no action (S3-69)."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def _daily(self) -> DailyLog:
        settings = self._home.settings
        return DailyLog(str(settings.places.logs), log_warning, settings.policy.audit_redact)

    async def begin(self, entry: LogEntry, label: str, secret: Sequence[str] = ()) -> None:
        """Write that an action begins, before its handler is called (S3-65); `entry` holds its parameters."""
        await self._say(entry, 0, (HandlerLine("info", f"{EXECUTING}{label}"),), secret)

    async def end(self, entry: LogEntry, lines: Sequence[HandlerLine], secret: Sequence[str] = ()) -> None:
        """Write how a run ended: its entry into the log of the day, the handler's lines into the journal."""
        self._daily.append(entry, secret)
        failed = (HandlerLine("error", entry.error),) if entry.error is not None else ()
        await self._say(entry, 1, (*lines, *failed), secret)

    def redact(self, entry: LogEntry, secret: Sequence[str] = ()) -> LogEntry:
        """Return an entry without the values that are not stored."""
        return self._daily.without_values(entry, secret)

    def read(self, id_: str, limit: int = 50) -> list[LoggedRun]:
        """Return the runs of an action, newest first (S3-71)."""
        entries = self._daily.of_template(id_, limit)
        found: dict[str, list[HandlerLine]] = {}
        for one in self._home.journal.instances.lines_of([entry.instance_id for entry in entries]):
            found.setdefault(one.instance, []).append(HandlerLine(one.level, one.content))
        return [LoggedRun(entry, tuple(found.get(entry.instance_id, ()))) for entry in entries]

    async def _say(self, entry: LogEntry, first: int, lines: Sequence[HandlerLine], secret: Sequence[str]) -> None:
        texts = self._daily.redact_lines(entry, secret, [one.text for one in lines])
        messages = [
            ChatMessage(
                f"{entry.instance_id}.{number}", entry.session_id, entry.timestamp, "log", text, one.level,
                entry.instance_id,
            )
            for number, (one, text) in enumerate(zip(lines, texts, strict=True), first)
        ]  # fmt: skip
        if not messages:
            return
        try:
            await self._home.journal.instances.say_all(messages)
        except SaysoError as failure:
            log_warning("the lines of %s could not be kept: %s", entry.instance_id, failure)

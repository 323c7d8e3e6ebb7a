"""`sayso doctor --self-test`: try every backend on things of its own, and take them back.

Everything takes the same path as a model's proposals, so policy judges it and the journal tells of it.
"""

import argparse
import platform
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Literal

import anyio
from msgspec import Struct

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json, canonical
from sayso.core.errors import SaysoError
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.core.quotes import visible
from sayso.core.record import State, run_id
from sayso.core.version import VERSION
from sayso.runtime.results import Outcome, has_way_back
from sayso.surfaces.cli.accounts import at_the_terminal
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.terminal import Interview, InterviewLeft

COMMAND = "sayso doctor --self-test"
ENTRY = "self-test"
"""The entry point of everything that a self-test does, by which a later one finds what an interrupted one left."""
UNDO_TIME = 60.0
"""Seconds that taking one action back may last, also when the self-test is stopped."""
_MOST = 1000
_QUOTED = re.compile(r"[“‘\"'][^“‘”’\"']*[”’\"']")
_PATH = re.compile(r"(?<![\w<])~?/[^\s,;:]+")

How = Literal["works", "differs", "refused", "not here", "left behind"]
MILD = frozenset({"refused", "not here"})
"""Results that are no fault of sayso's: what the settings or this computer do not allow."""


class Deed(Struct, frozen=True):
    """One operation of a trial; in its arguments, `{name}`, `{mark}`, `{folder}` and `{day}` stand for what is its own.

    If `finds`, the result must contain the name of this self-test, and no longer after all was taken back.
    """

    operation: str
    arguments: Mapping[str, Json]
    finds: bool = False


class Trial(Struct, frozen=True):
    """What is tried of one store, in order; `says` is what the person reads before they say yes."""

    store: str
    says: str
    deeds: tuple[Deed, ...]


TRIALS = (
    Trial(
        "files",
        "makes a folder with a file in it, copies and moves the file, and puts one into the Trash",
        (
            Deed("file.mkdir", {"path": "{folder}"}),
            Deed("file.write", {"path": "{folder}/one.txt", "content": "{name}\n"}),
            Deed("file.read", {"path": "{folder}/one.txt"}, finds=True),
            Deed("file.copy", {"source": "{folder}/one.txt", "destination": "{folder}/two.txt"}),
            Deed("file.move", {"source": "{folder}/two.txt", "destination": "{folder}/three.txt"}),
            Deed("file.delete", {"path": "{folder}/three.txt"}),
        ),
    ),
    Trial("apps", "looks which applications run", (Deed("app.list", {}),)),
    Trial(
        "desktop",
        "shows a notification, puts a text on the clipboard, and puts back what was there",
        (
            Deed("notify.show", {"title": "{name}", "message": "sayso tries whether notifications appear."}),
            Deed("clipboard.write", {"text": "{name}"}),
            Deed("clipboard.read", {}, finds=True),
        ),
    ),
    Trial(
        "tabs",
        "opens example.com in a tab of its own, and closes it",
        (Deed("url.open", {"url": "https://example.com/#{mark}", "new_tab": True}), Deed("tab.list", {}, finds=True)),
    ),
    Trial("mail", "looks at the newest message, and sends nothing", (Deed("mail.inbox", {"limit": 1}),)),
    Trial(
        "calendar",
        "makes an event on {day} and a reminder without a time",
        (
            Deed("calendar.create_event", {"title": "{name}", "start": "{day} 12:00", "end": "{day} 12:30"}),
            Deed("calendar.list", {"start": "{day}"}, finds=True),
            Deed("reminder.create", {"title": "{name}"}),
            Deed("reminder.list", {}, finds=True),
        ),
    ),
    Trial(
        "notes",
        "makes a note and adds a line to it",
        (
            Deed("note.create", {"title": "{name}", "body": "Made by a self-test."}),
            Deed("note.append", {"target": "{name}", "text": "One more line."}),
            Deed("note.find", {"text": "{name}"}, finds=True),
        ),
    ),
    Trial("tasks", "adds a task", (Deed("task.add", {"text": "{name}"}),)),
)
NOT_TRIED = (
    "Not tried: speech, volume, do-not-disturb, shortcuts, sending, scripts in pages, opening and placing windows."
)


class Result(Struct, frozen=True):
    """What became of one deed: `says` has no names or texts of the person's."""

    store: str
    operation: str
    how: How
    says: str = ""
    milliseconds: int = 0


class Yes(Struct, frozen=True):
    """Answers the questions of the self-test itself, to which the person said yes when it began."""

    async def ask(self, question: Question) -> Decision | None:
        """Return a yes to exactly this question."""
        return Decision(yes=True, by="terminal", digest=question.digest)


class SelfTest:
    """One self-test in an open home; `name` marks everything that it makes."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.left: list[str] = []
        """Why actions could not be taken back."""
        self.name = f"sayso self-test {run_id(home.ids.key())[-6:].lower()}"
        now = home.clock.now().astimezone()
        root = next(iter(home.settings.policy.roots), "~")
        self._own = {
            "name": self.name,
            "mark": self.name.replace(" ", "-"),
            "folder": f"{root}/{self.name}",
            "day": f"{_in_most_of_a_year(now):%Y-%m-%d}",
        }

    @property
    def mark(self) -> str:
        """Return its name without spaces."""
        return self._own["mark"]

    def plans(self) -> Sequence[str]:
        """Return what would be tried, a sentence for each store."""
        return [f"{one.store}: {_filled(one.says, self._own)}" for one in TRIALS if self._tries(one)]

    def backends(self) -> Mapping[str, str]:
        """Return the name of the backend that serves each store here, without its account."""
        served = self._home.tools.backends
        return {one.store: served[one.store].name for one in TRIALS if one.store in served}

    async def clean(self) -> int:
        """Take back what interrupted self-tests left, and return how many actions that were."""
        found = await self._home.log(RecordQuery(limit=_MOST, states=frozenset({State.DONE})))
        left = [one for one in found if one.entry == ENTRY and has_way_back(one)]
        why = [await self._taken_back(one.id) for one in left]
        self.left += [one for one in why if one]
        return why.count("")

    async def results(self) -> AsyncIterator[Result]:
        """Try each store, take everything back, and yield what came of it; a failure ends only its own trial."""
        for trial in TRIALS:
            if not self._tries(trial):
                missing = trial.deeds[0].operation
                yield Result(
                    trial.store, missing, "not here", "no backend serves it here, or the settings switch it off"
                )
                continue
            for one in await self._tried(trial):
                yield one

    def _tries(self, trial: Trial) -> bool:
        possible = {one.id for one in self._home.possible_operations()}
        return any(one.operation in possible for one in trial.deeds)

    async def _tried(self, trial: Trial) -> list[Result]:
        found: list[Result] = []
        done: list[str] = []
        left: list[str] = []
        possible = {one.id for one in self._home.possible_operations()}
        try:
            for deed in trial.deeds:
                if deed.operation not in possible:
                    found.append(Result(trial.store, deed.operation, "not here"))
                    continue
                outcome, result = await self._do(trial, deed)
                found.append(result)
                if outcome is not None and has_way_back(outcome.record):
                    done.append(outcome.record.id)
                if result.how != "works":
                    break
        finally:
            with anyio.CancelScope(shield=True):
                left = [why for one in reversed(done) if (why := await self._taken_back(one))]
                self.left += left
        found += [Result(trial.store, "undo", "left behind", why) for why in left]
        if done and not left:
            found.append(Result(trial.store, "undo", "works", f"{len(done)} taken back"))
            found += await self._gone(trial, [one for one in found if one.how == "works"])
        return found

    async def _do(self, trial: Trial, deed: Deed) -> tuple[Outcome | None, Result]:
        arguments: Mapping[str, Json] = {
            name: _filled(one, self._own) if isinstance(one, str) else one for name, one in deed.arguments.items()
        }
        began = perf_counter()
        try:
            report = await self._home.take(
                [Proposal(0, deed.operation, deed.operation, arguments)], Origin("", ENTRY, wrote=self.name), Yes()
            )
        except SaysoError as problem:
            return None, Result(trial.store, deed.operation, "differs", without_names(f"{problem.code}: {problem}"))
        took = round((perf_counter() - began) * 1000)
        (outcome,) = report.outcomes
        how, says = self._judged(deed, outcome)
        return outcome, Result(trial.store, deed.operation, how, says, took)

    def _judged(self, deed: Deed, outcome: Outcome) -> tuple[How, str]:
        record = outcome.record
        if record.state in {State.REFUSED, State.DECLINED, State.WAITING, State.EXPIRED}:
            return "refused", without_names(f"{record.marks.code or record.state.value}: {record.marks.error or ''}")
        if record.state not in {State.DONE, State.UNCHANGED}:
            return "differs", without_names(f"{record.state.value}, {record.marks.code}: {record.marks.error}")
        if deed.finds and not self._shows(outcome):
            return "differs", "its result does not show what had just been made"
        return "works", ""

    def _shows(self, outcome: Outcome) -> bool:
        told = canonical(dict(outcome.data)).decode()
        return self.name in told or self.mark in told

    async def _gone(self, trial: Trial, worked: Sequence[Result]) -> list[Result]:
        """Return a result for each thing that still shows after it was taken back."""
        left: list[Result] = []
        names = {one.operation for one in worked}
        for deed in trial.deeds:
            if deed.finds and deed.operation in names:
                outcome, _ = await self._do(trial, deed)
                if outcome is not None and outcome.record.state is State.DONE and self._shows(outcome):
                    left.append(
                        Result(trial.store, deed.operation, "left behind", "it still shows after it was undone")
                    )
        return left

    async def _taken_back(self, action: str) -> str:
        """Undo an action; return why it could not be undone, or an empty string."""
        try:
            with anyio.fail_after(UNDO_TIME):
                report = await self._home.undo(action, by="terminal")
        except TimeoutError:
            return f"{action}: nothing came of taking it back within {UNDO_TIME:.0f} seconds"
        except SaysoError as problem:
            return without_names(f"{action}: {problem.code}: {problem}")
        wrong = [one.record for one in report.outcomes if one.record.state not in {State.DONE, State.UNCHANGED}]
        return "".join(
            without_names(f"{action}: {one.state.value}, {one.marks.code}: {one.marks.error}") for one in wrong[:1]
        )


def _in_most_of_a_year(now: datetime) -> datetime:
    return now + timedelta(days=300)


def _filled(text: str, own: Mapping[str, str]) -> str:
    for name, value in own.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def without_names(text: str) -> str:
    """Return a message without quoted texts, paths and mail addresses, which may be private."""
    plain = _PATH.sub("…", _QUOTED.sub("“…”", text))
    return " ".join("…" if "@" in word else word for word in plain.split(" "))


def report_of(test: SelfTest, results: Sequence[Result]) -> str:
    """Return the report as Markdown, to attach to an issue."""
    lines = [
        f"# {test.name}",
        "",
        f"- sayso {VERSION}, Python {platform.python_version()}, {_system()}, {platform.machine()}",
        *(f"- {store}: {backend}" for store, backend in test.backends().items()),
        "",
        "| store | tried | came out | ms | says |",
        "|---|---|---|---|---|",
        *(
            f"| {one.store} | {one.operation} | {one.how} | {one.milliseconds or ''} | {_cell(one.says)} |"
            for one in results
        ),
    ]
    return "\n".join(lines) + "\n"


def _system() -> str:
    if sys.platform != "darwin":
        return platform.platform()
    # Without it, the calendar goes by scripts.
    return f"macOS {platform.mac_ver()[0]} {'with' if find_spec('EventKit') else 'without'} EventKit"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show what would be tried, and after the person's yes try it, take it back and write the report."""

    def lead(interview: Interview) -> int:
        try:
            return in_home(here, lambda home: _lead(home, interview))
        except KeyboardInterrupt:
            interview.say("Stopped. What had been made was taken back, but for what is named above.")
            return Exit.NOT_DECIDED

    return at_the_terminal(here, COMMAND, lead)


async def _lead(home: Home, interview: Interview) -> int:
    test = SelfTest(home)
    interview.say("This tries what sayso uses on this computer, on things of its own, and takes each back:")
    interview.show(*(f"  · {visible(one)}" for one in test.plans()))
    interview.say(NOT_TRIED, "All of it stands in “sayso log” afterwards.")
    if not interview.yes("Begin?", usual=False):
        raise InterviewLeft
    if before := await test.clean():
        interview.note(f"An earlier self-test was interrupted; {before} of its actions were taken back first.")
    found: list[Result] = []
    try:
        async for one in test.results():
            found.append(one)
            (interview.good if one.how == "works" else interview.note if one.how in MILD else interview.bad)(_line(one))
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await test.clean()  # also what was done just as it was stopped
        raise
    finally:
        _tell_left(test, interview)
    text = report_of(test, found)
    path = Path(f"{test.mark}.md")
    try:
        _write(path, text)
    except OSError as problem:
        interview.bad(f"The report cannot be written here: {problem.strerror}; this is it:")
        interview.show(*text.split("\n"))
    else:
        interview.say(
            f"The report is in {path}. It has no names, texts or paths of yours: please attach it to an issue."
        )
    return Exit.FINE if all(one.how in {"works", *MILD} for one in found) else Exit.FAILED


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def _line(one: Result) -> str:
    return visible(f"{one.store}: {one.operation} {one.how}{f' ({one.says})' if one.says else ''}")


def _tell_left(test: SelfTest, interview: Interview) -> None:
    if test.left:
        interview.bad("These could not be taken back; “sayso undo ID” tries again:")
        interview.show(*(f"  {visible(one)}" for one in test.left))

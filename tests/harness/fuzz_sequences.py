"""Run sequences of generated actions that try to read or change sayso's own files, or to decide by themselves."""

import json
import logging
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from random import Random

import anyio

from sayso.assembly import Home, open_home
from sayso.assembly.parts import DIALECTS
from sayso.assembly.parts import dialect as dialect_called
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.operation import Operation
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import Report, report_json
from sayso.surfaces.cli.preview import page
from sayso.surfaces.cli.text import Style
from tests.harness.fuzz_decisions import alone
from tests.harness.fuzz_ground import CANARY, CLICK, FLOOR, LAYOUTS, Aims, Yard, lay
from tests.harness.fuzz_texts import ENDS_OF
from tests.harness.long_run import Run
from tests.journeys.ground import Row

CALLS = 6
"""How many actions a sequence has about."""

SCREENS = (
    ("log", "--json", "--limit", "200"), ("log", "--limit", "200"), ("log", "verify"), ("log", "export"), ("pending",),
    ("pending", "--json"), ("undo", "--list"), ("operations", "--json"), ("grants", "--json"),
)  # fmt: skip
ASKING: tuple[tuple[str, dict[str, Json]], ...] = (
    ("file.delete", {"path": "~/Desktop/x.md"}),
    ("task.add", {"text": "one"}),
    ("mail.send", {"to": "ana@example.org", "subject": "one", "body": "two"}),
    ("page.run_js", {"code": "1"}),
)
HAPPENED = frozenset({"done", "running", "failed", "unknown", "undone"})
DATABASE = "journal"
"""The kind of canary that stands in the journal by right, and comes back from its log alone."""


class Person:
    """Answers questions as was set for a sequence, shows them as the terminal would, and keeps what was agreed to."""

    def __init__(self) -> None:
        self.answer: bool | None = None
        self.agreed: set[str] = set()
        self.shown: list[str] = []

    async def ask(self, question: Question) -> Decision | None:
        """Return the answer."""
        for whole in (True, False):
            self.shown += page(question, 100, Style(), whole=whole).lines
        if self.answer is None:
            return None
        if self.answer:
            self.agreed |= {card.digest for card in question.cards}
        return Decision(self.answer, "client", question.digest)


class Listener(logging.Handler):
    """Keeps every line of the log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self.lines.append(f"{record.getMessage()} {record.exc_info or ''}")


class Sequences:
    """Plays sequences on one ground after another and writes down what must never happen."""

    def __init__(self, run: Run, operations: Mapping[str, Operation]) -> None:
        self._run = run
        self._operations = operations
        self._listener = Listener()
        self.proposed: set[str] = set()
        self.done: set[str] = set()
        self.layouts: set[str] = set()
        logger = logging.getLogger("sayso")
        logger.setLevel(logging.DEBUG)
        logger.handlers[:] = [self._listener]
        logger.propagate = False

    def ground(self, number: int, count: int) -> None:
        """Lay out ground `number`, play `count` sequences on it, and look at everything afterwards."""
        base = Path(tempfile.mkdtemp(prefix="sayso-fuzz-"))
        try:
            yard = lay(base, LAYOUTS[number % len(LAYOUTS)])
            self.layouts.add(yard.layout.name)
            os.environ.update({"HOME": str(yard.home)})
            person, random = Person(), Random(f"{self._run.seed} {number}")
            anyio.run(self._played, yard, person, random, count)
            self._screens(yard, random)
            self._looked_after(yard, person, f"ground {number}")
        finally:
            shutil.rmtree(base)

    async def _played(self, yard: Yard, person: Person, random: Random, count: int) -> None:
        aims = Aims(yard, self._operations, random)
        async with open_home(environ=yard.environ) as home:
            await home.run('LOG_WRITE "CANARY-journal-9d1f"', session="CANARY-journal-9d1f")
            self._prompts(home)
            await self._plainly(yard, home, aims, person)
            for _ in range(count):
                if self._run.spent():
                    break
                yard.replant()
                person.answer = random.choice([True, True, False, None])
                told = await self._sequence(yard, home, aims, person, random)
                self._run.count("sequences")
                self._quiet(told, f"{yard.layout.name}, seed {self._run.seed}")
                for changed in yard.changed():
                    self._run.breach(f"{yard.layout.name}: {changed} of sayso's own was changed")

    async def _plainly(self, yard: Yard, home: Home, aims: Aims, person: Person) -> None:
        """Try what would show sayso's files most plainly, each by itself, and what must ask while nobody answers."""
        person.answer = None
        told: list[str] = []
        for operation, arguments in (*aims.plainest(), *ASKING):
            report = await home.take([Proposal(0, "", operation, arguments)], Origin("tools"), person)
            told.append(_all_of(report))
            self._run.count("plain tries")
        await home.run("TASK_ADD one\nDELETE_FILE ~/Documents/a.txt", "lines")
        self._quiet(told, f"{yard.layout.name}, plainly")

    async def _sequence(self, yard: Yard, home: Home, aims: Aims, person: Person, random: Random) -> list[str]:
        told: list[str] = []
        left = random.randint(2, 2 * CALLS)
        while left > 0:
            calls = [aims.call() for _ in range(random.choice([1, 1, 2, 4]))]
            left -= len(calls)
            self.proposed |= {operation for operation, _ in calls}
            self._run.count("actions", len(calls))
            report = await self._proposed(home, calls, person, random)
            told.append(_all_of(report))
            self.done |= {one.record.operation or "" for one in report.outcomes if one.record.state.value == "done"}
            if random.random() < 0.3:
                told += await self._between(yard, home, report, person, random)
        told += person.shown
        person.shown.clear()
        return told

    async def _proposed(
        self, home: Home, calls: list[tuple[str, dict[str, Json]]], person: Person, random: Random
    ) -> Report:
        """Propose calls as a text of a dialect where it can say them, else as they are."""
        dialect, dry = random.choice(sorted(DIALECTS if len(calls) == 1 else ENDS_OF)), random.random() < 0.1
        session = random.choice(["", "one", "two"])
        try:
            texts = [dialect_called(dialect).write(self._operations[name], arguments) for name, arguments in calls]
        except ProposalError:
            proposals = [Proposal(index, "", name, arguments) for index, (name, arguments) in enumerate(calls)]
            origin = Origin(random.choice(["lines", "tools"]), "library", session)
            return await home.take(proposals, origin, person, dry_run=dry)
        return await home.run("\n".join(texts), dialect, approver=person, dry_run=dry, session=session)

    async def _between(self, yard: Yard, home: Home, report: Report, person: Person, random: Random) -> list[str]:
        """Do what may happen between two proposals: links are planted, waiting ones approved, things taken back."""
        what = random.choice(["link", "link", "undo", "approve", "decline", "undo dry"])
        try:
            match what:
                case "link":
                    place = yard.home / random.choice(
                        ["Documents/a.txt", "Documents/d", "Documents/free", "Desktop/x.md"]
                    )
                    if place.is_dir() and not place.is_symlink():
                        shutil.rmtree(place)
                    place.unlink(missing_ok=True)
                    place.symlink_to(random.choice([yard.own, yard.own / "token", yard.config]))
                    return []
                case "undo" | "undo dry":
                    return [_all_of(await home.undo(report.run, dry_run=what == "undo dry"))]
                case "approve":
                    return [_all_of(await home.approve(report.run, person))]
                case _:
                    return [_all_of(await home.decline(report.run))]
        except (SaysoError, OSError) as no:
            return [str(no)]

    def _prompts(self, home: Home) -> None:
        told = [dialect.describe(home.enabled_operations()) for dialect in map(dialect_called, DIALECTS)]
        self._quiet(told, "a prompt")

    def _screens(self, yard: Yard, random: Random) -> None:
        for words in random.sample(SCREENS, 3):
            shown = alone(words, yard.environ)
            self._run.count("screens")
            self._quiet(
                [shown.out + shown.err], f"{yard.layout.name}: sayso {' '.join(words)}", by_right=words[0] == "log"
            )
            if shown.code != 0:
                self._run.breach(
                    f"{yard.layout.name}: sayso {' '.join(words)} ends with {shown.code}: {shown.err[:300]}"
                )

    def _quiet(self, told: list[str], where: str, *, by_right: bool = False) -> None:
        """Hold that no canary was told; `by_right` says that the journal's own may be."""
        for text in (*told, *self._listener.lines):
            for kind in set(CANARY.findall(text.encode("utf-8", "backslashreplace"))):
                if not (by_right and kind.decode().lower() == DATABASE):
                    self._run.breach(f"{where}: told what stands in sayso's own “{kind.decode()}”: {text[:300]}")
        self._listener.lines.clear()

    def _looked_after(self, yard: Yard, person: Person, where: str) -> None:
        for stray in yard.strayed():
            self._run.breach(f"{where}: {stray} got out of sayso's own")
        if yard.permissions():
            self._run.breach(f"{where}: a standing permission was given by nobody")
        for row, digest in yard.actions():
            wrong = _undecided(row, digest, yard, person.agreed)
            if wrong:
                self._run.breach(f"{where}: {row.operation} {row.id} {wrong}")


def _all_of(report: Report) -> str:
    return json.dumps(report_json(report), ensure_ascii=False) + repr(report)


def _undecided(row: Row, digest: str, yard: Yard, agreed: set[str]) -> str:
    """Say what is wrong about who decided of a row; empty when a person did, or none had to."""
    waived = FLOOR if yard.layout.waived else frozenset[str]()
    always_asks = row.operation in (CLICK | FLOOR) - waived
    if row.undo_of is not None:
        return "" if row.approved_by in {"client", None} else f"was taken back by {row.approved_by}"
    if row.approved_by is not None and (row.approved_by != "client" or digest not in agreed):
        return f"says that {row.approved_by} said yes, and nobody did" if row.state in HAPPENED else ""
    if always_asks and row.approved_by is None and (row.state in {"done", "running"} or row.changes):
        return "happened without a question"
    return ""

"""A demonstration in a scratch home: wishes and a model's reply are planned, shown, carried out and undone."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio

from sayso.assembly import Home, open_home
from sayso.assistant.asker import Asker
from sayso.core.decision import Decision, Question
from sayso.core.errors import SetupError
from sayso.core.ports import RecordQuery
from sayso.core.record import State
from sayso.runtime.results import Report
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.preview import page
from sayso.surfaces.cli.render import lines_of, table
from sayso.surfaces.cli.text import block, sentence

REPLY = Path(__file__).with_name("reply.txt")
FIRST_OF_MARCH = 1_772_323_200
"""The modification time of all files in the demonstration (1 March 2026), which undo restores."""

FILES = {
    "Downloads/invoice-0042.pdf": "%PDF-1.4 an invoice of 420 euros\n",
    "Downloads/old-installer.bin": "0110" * 64 + "\n",
    "Documents/journal.md": "Thursday: wrote the plan.\n",
    "Documents/todo.txt": "Call Ana\nBook the train\n",
    "Documents/Budget/2025.csv": "month,euros\njan,1200\n",
    "Documents/Budget/notes/read me.txt": "Numbers are net.\n",
    "Documents/untouched.txt": "nobody mentions me\n",
}
SETTINGS = """\
[policy]
roots = ["~/Documents", "~/Downloads", "~/Desktop"]

[desktop]
kind = "memory"

[browser]
kind = "memory"
"""
WISHES = (
    "switch to reddit",
    "make a folder called Plans in Documents and add “Review the budget” to my tasks",
    "close all tabs",
)
"""A simple wish, two wishes in one sentence, and an ambiguous one that is not carried out."""


class Recorded:
    """Answers every question with a recorded yes, because the demonstration asks nobody."""

    def __init__(self, show: Callable[[Question], None]) -> None:
        self._show = show

    async def ask(self, question: Question) -> Decision | None:
        """Show the question as a terminal would, and return a yes to exactly this question."""
        self._show(question)
        return Decision(yes=True, by="client", digest=question.digest)


class Demonstration:
    """The parts of the demonstration, and the folder with its scratch home."""

    def __init__(self, folder: Path, here: CommandContext) -> None:
        self._here = here
        self.person = folder / "home"
        self._own = folder / "sayso"
        self._environ = {**here.environ, "HOME": str(self.person), "SAYSO_HOME": str(self._own)}

    def plant(self) -> None:
        """Create the scratch home: files with a fixed time and different modes, and settings for simulated backends."""
        for name, text in FILES.items():
            file = self.person / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            file.chmod(0o640 if name.endswith(".csv") else 0o644)
        (self.person / "Desktop").mkdir()
        for path in sorted(self.person.rglob("*"), reverse=True):
            os.utime(path, (FIRST_OF_MARCH, FIRST_OF_MARCH))
        self._own.mkdir(mode=0o700)
        (self._own / "config.toml").write_text(SETTINGS, "utf-8")
        (self._own / "config.toml").chmod(0o600)

    def ask(self) -> None:
        """Send the wishes to the built-in rules, which need no key and no network, and undo what was done."""
        self._head("In a person's words; the built-in rules answer, without a key or a network")
        anyio.run(self._run_asking)

    def do(self) -> None:
        """Carry out the model's reply, and show the audit trail."""
        self._head("A model's reply, in the line dialect")
        self._here.print(*block(REPLY.read_text("utf-8"), self._width, "  "))
        report = anyio.run(self._run)
        self._head("What became of it")
        self._here.print(*lines_of(report, self._width, self._here.style))
        self._head("The audit trail")
        anyio.run(self._trail)

    def undo(self) -> Report:
        """Undo the newest run."""
        self._head("Taken back")
        report = anyio.run(self._undo)
        self._here.print(*lines_of(report, self._width, self._here.style))
        return report

    def edit(self) -> None:
        """Change a file by hand, as a person might between an action and its undo."""
        with (self.person / "Documents/journal.md").open("a", encoding="utf-8") as file:
            file.write("\nMine: buy flowers.\n")
        self._head("A file is changed by hand: ~/Documents/journal.md now ends with “Mine: buy flowers.”")

    async def _run_asking(self) -> None:
        runs: list[str] = []
        async with self._open() as home:
            for wish in WISHES:
                self._here.print(f"> {wish}", "")
                answer = await home.ask(wish, asker=Asker(approver=Recorded(lambda _: None)))
                self._here.print(*lines_of(answer.report, self._width, self._here.style), "")
                runs += [answer.report.run for one in answer.report.outcomes if one.record.state is State.DONE][:1]
            backs = [await home.undo(run, by="command") for run in reversed(runs)]
        done = sum(one.record.state is State.DONE for back in backs for one in back.outcomes)
        self._here.print(*sentence(f"All {done} were taken back.", self._width))

    async def _run(self) -> Report:
        async with self._open() as home:
            return await home.run(REPLY.read_text("utf-8"), approver=Recorded(self._show), entry="try")

    async def _trail(self) -> None:
        async with self._open() as home:
            self._here.print(*table(await home.log(RecordQuery(limit=20)), self._width))
            proof = await home.journal.verify()
            words = f"{proof.rows} audit rows checked: " + (proof.problem or "nothing was altered")
            self._here.print("", *sentence(words, self._width))

    async def _undo(self) -> Report:
        async with self._open() as home:
            return await home.undo(await _newest_run(home), by="command")

    def _open(self) -> AbstractAsyncContextManager[Home]:
        return open_home(environ=self._environ)

    def _show(self, question: Question) -> None:
        self._head("What it would do (nothing has happened yet)")
        self._here.print(*page(question, self._width, self._here.style, whole=False).lines)
        asking = len(question.asking)
        self._here.print("", f"Policy asks because of {asking} of these. The recorded answer: yes.")

    def _head(self, words: str) -> None:
        self._here.print("", *map(self._here.style.bold, sentence(words, self._width)), "")

    @property
    def _width(self) -> int:
        return terminal_width(self._here)


def main(keep: str | None, here: CommandContext, part: str | None = None) -> int:
    """Show the whole demonstration, or only one `part` of it in the folder that earlier parts used."""
    folder = Path(tempfile.mkdtemp(prefix="sayso-try-")) if keep is None else Path(keep).absolute()
    shown = Demonstration(folder, here)
    try:
        return _part(shown, part) if part else _whole(shown, folder, here)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
        elif part is None:
            here.print("", f"The scratch home is left in {folder}.")


def _part(shown: Demonstration, part: str) -> int:
    {"plant": shown.plant, "ask": shown.ask, "do": shown.do, "undo": shown.undo, "edit": shown.edit}[part]()
    return Exit.FINE


def _whole(shown: Demonstration, folder: Path, here: CommandContext) -> int:
    if folder.exists() and any(folder.iterdir()):
        raise SetupError(f"{folder} is not empty; name a new folder", "try.folder")
    shown.plant()
    before = picture(shown.person)
    shown.ask()
    shown.do()
    shown.undo()
    if picture(shown.person) != before:
        here.tell("the files are not as they were before; this is a fault in sayso")
        return Exit.FAILED
    here.print("", "Every file is as it was: content, mode and time of change.")
    shown.do()
    shown.edit()
    report = shown.undo()
    left = [outcome for outcome in report.outcomes if outcome.record.state is not State.DONE]
    here.print("", "What you changed by hand was left alone; the rest was taken back.")
    here.print("", "Next: sayso ask, sayso pending, sayso log, sayso undo, each with --help.")
    return Exit.FINE if len(left) == 1 else Exit.FAILED


def picture(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return mode, time and hash of every file, without using any code of the product's."""
    found: dict[str, tuple[int, int, str]] = {}
    for path in sorted(folder.rglob("*")):
        if ".local" in path.relative_to(folder).parts:
            continue  # the desktop's Trash is created during the demonstration
        state = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        time = state.st_mtime_ns if path.is_file() else 0
        found[str(path.relative_to(folder))] = (state.st_mode, time, content)
    return found


async def _newest_run(home: Home) -> str:
    return (await home.log(RecordQuery(limit=1)))[0].run

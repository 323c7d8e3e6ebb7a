"""Whatever is done, taken back and changed by hand, in whatever order: an undo never lies, and nothing is lost."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

import sayso
from sayso.runtime.results import Report
from tests.journeys.ground import Ground, Tree, a_file, a_ground, hashes_in, in_mode, moved, states, tree, yes

NAMES = ("a.txt", "ä ö.md", "e\u0301.txt", "📎 notes", "in", "in/b.txt", "in/deep", "in/deep/ç.txt", "x'y", "-n")
TEXTS = ("", "one\n", "two", "drei: ß\n" * 40)
names = some.sampled_from(NAMES)
texts = some.sampled_from(TEXTS)


def line(command: str, *arguments: str) -> str:
    """Return a command with quoted arguments."""
    return " ".join([command, *('"' + text.replace("\n", "\\n") + '"' for text in arguments)])


def at(name: str) -> str:
    """Return the path of a name as a model writes it."""
    return f"~/Documents/{name}"


def on_one(command: str) -> some.SearchStrategy[str]:
    """Draw a line about one path."""
    return names.map(lambda name: line(command, at(name)))


def on_two(command: str) -> some.SearchStrategy[str]:
    """Draw a line about two paths."""
    return some.tuples(names, names).map(lambda pair: line(command, at(pair[0]), at(pair[1])))


def with_text(command: str) -> some.SearchStrategy[str]:
    """Draw a line about a path and a text."""
    return some.tuples(names, texts).map(lambda pair: line(command, at(pair[0]), pair[1]))


def actions() -> some.SearchStrategy[str]:
    """Draw one line that may or may not be possible as the files stand."""
    return some.one_of(
        on_two("MOVE_FILE"),
        on_two("COPY_FILE"),
        on_one("DELETE_FILE"),
        on_one("CREATE_FOLDER"),
        with_text("WRITE_FILE"),
        with_text("APPEND_FILE"),
    )


@dataclass(frozen=True)
class Deed:
    """One run, and the files before and after it."""

    run: str
    count: int
    before: Tree
    after: Tree
    ends: tuple[str, str] | None
    """Of a single move, where from and where to."""


def something_was_done(desk: "Desk") -> bool:
    """Say whether there is anything to take back."""
    return bool(desk.deeds)


class Desk(RuleBasedStateMachine):
    """A person and a model at work on the same real files."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="sayso-any-order-"))
        self.ground: Ground = a_ground(self.base / "ana", in_mode("never"))
        for name in ("a.txt", "in/b.txt", "ä ö.md"):
            self.ground.file(name, f"{name} at the start\n")
        self.start = tree(self.ground.documents)
        self.deeds: list[Deed] = []
        self.by_hand = False

    def teardown(self) -> None:
        """Take back all that can be, newest first, and go."""
        try:
            if not self.by_hand:
                self._take_all_back()
        finally:
            shutil.rmtree(self.base)

    @rule(text=actions())
    def does(self, text: str) -> None:
        """Do one thing."""
        self._do([text])

    @rule(several=some.lists(actions(), min_size=2, max_size=4))
    def does_a_batch(self, several: list[str]) -> None:
        """Do several as one."""
        self._do(several)

    @precondition(something_was_done)
    @rule(which=some.integers(0, 30))
    def takes_back(self, which: int) -> None:
        """Take back any deed, in any order."""
        self._take_back(self.deeds[which % len(self.deeds)])

    @rule(name=names, text=texts)
    def edits_by_hand(self, name: str, text: str) -> None:
        """Write into a file as another program does, or make one."""
        path = self.ground.documents / name
        if path.parent.is_dir() and not path.is_dir():
            a_file(path, text, mode=0o600)
            self.by_hand = True

    @precondition(something_was_done)
    @rule(name=names)
    def removes_by_hand(self, name: str) -> None:
        """Remove a file for good, as another program does."""
        path = self.ground.documents / name
        if path.is_file():
            path.unlink()
            self.by_hand = True

    def _do(self, lines: list[str]) -> None:
        before, content = self._files(), self._content()

        async def work() -> Report:
            async with self.ground.opened() as home:
                return await home.run("\n".join(lines), approver=yes())

        report = anyio.run(work)

        after = self._files()
        found = states(report)
        assert set(found) <= {"done", "unchanged", "failed", "skipped", "refused"}, found
        assert content <= self._everywhere(), "an action has lost content"
        if "done" not in found:
            assert after == before, found
            return
        ends = (lines[0].split('"')[1], lines[0].split('"')[3]) if lines[0].startswith("MOVE") else None
        self.deeds.append(Deed(report.run, found.count("done"), before, after, ends if len(lines) == 1 else None))

    def _take_back(self, deed: Deed) -> list[str]:
        before, content = self._files(), self._content()

        async def work() -> list[str]:
            async with self.ground.opened() as home:
                try:
                    return states(await home.undo(deed.run))
                except sayso.ProposalError:
                    return []

        found = anyio.run(work)

        after = self._files()
        assert set(found) <= {"done", "failed", "refused"}, found
        assert content <= self._everywhere(), "an undo has lost content"
        if "done" not in found:
            assert after == before, "an undo that failed has changed something"
        elif found == ["done"] and deed.count == 1:
            assert after == self._restored(deed, before), "an undo that is done has not restored what was"
        return found

    def _restored(self, deed: Deed, now: Tree) -> Tree:
        """Work out how the files must look once this one deed is taken back."""
        if deed.ends is not None:
            source, destination = (path.removeprefix("~/Documents/") for path in deed.ends)
            return moved(now, destination, source)
        gone = deed.after.keys() - deed.before.keys()
        back = {path: thing for path, thing in deed.before.items() if deed.after.get(path) != thing}
        return {path: thing for path, thing in now.items() if path not in gone} | back

    def _take_all_back(self) -> None:
        for deed in reversed(self.deeds):
            self._take_back(deed)
        assert self._files() == self.start, "taking everything back has not brought everything back"

    def _files(self) -> Tree:
        return tree(self.ground.documents)

    def _content(self) -> set[str]:
        return set(hashes_in(self.ground.documents).values())

    def _everywhere(self) -> set[str]:
        return set(hashes_in(self.base).values())


TestAnyOrder = pytest.mark.timeout(300)(Desk.TestCase)
pytest.mark.req("UN-01", "UN-03", "T-63")(TestAnyOrder.runTest)
TestAnyOrder.settings = settings(max_examples=8, stateful_step_count=12)

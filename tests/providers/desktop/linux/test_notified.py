"""What waits is answered by a click on a notification of a real desktop, where that is safe, and nowhere else."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from sayso.assembly import Home, open_home
from sayso.assembly.notified import ASKING, MOMENT, MOST_SHOWN, Notified
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.runtime.locks import FileLocks
from tests.desktop_env import parts
from tests.desktop_env.session import Session, wait_for

pytestmark = pytest.mark.needs("dunst", "dunstctl", "dbus-daemon", "dbus-send")
CHOOSES = '#!/bin/sh\ntee {home}/menu | grep -m1 "^#$(cat {home}/choice) "\n'


@pytest.fixture(scope="module")
def desktop(x_session: Session) -> Session:
    """Return the session with its notification service, whose menu of buttons a file chooses from."""
    chooser = x_session.home / "chooser"
    chooser.write_text(CHOOSES.format(home=x_session.home))
    chooser.chmod(0o700)
    settings = x_session.home / ".config" / "dunst"
    settings.mkdir()
    (settings / "dunstrc").write_text(f"[global]\n  dmenu = {chooser}\n  notification_limit = 20\n")
    (x_session.home / "Documents").mkdir()
    parts.notifications(x_session)
    return x_session


class Desk:
    """A home that asks by notifications, and the person at the desk."""

    def __init__(self, home: Home, session: Session) -> None:
        self.home = home
        self._session = session
        self.looked = 0

    async def look(self) -> None:
        """Count how often all that waits was to be shown."""
        self.looked += 1

    async def propose(self, *wishes: tuple[str, dict[str, str]]) -> str:
        """Propose what has to wait, and return its run once its notification is there."""
        before = self.shown()
        proposals = [Proposal(index, "", name, {**arguments}) for index, (name, arguments) in enumerate(wishes)]
        report = await self.home.take(proposals, Origin("", "command"))
        assert {one.record.state for one in report.outcomes} == {State.WAITING}
        await self.until(lambda: self.shown() > before)
        return report.run

    def shown(self, which: str = "displayed") -> int:
        """Return how many notifications are shown now, or were."""
        return int(self._session.run("dunstctl", "count", which))

    async def press(self, button: str) -> None:
        """Choose a button in the menu of the service."""
        (self._session.home / "choice").write_text(button)
        await anyio.to_thread.run_sync(self._session.run, "dunstctl", "context")

    def buttons(self) -> set[str]:
        """Return the buttons that the menu had."""
        return {line[1:].partition(" (")[0] for line in (self._session.home / "menu").read_text().splitlines()}

    async def state(self, run: str) -> tuple[State, str | None]:
        """Return what became of a run, and who approved it."""
        marks = (await self.home.log_of(run))[0].marks
        return marks.state, marks.approved_by

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        await anyio.to_thread.run_sync(wait_for, holds, "what the test waits for")

    async def decided(self, run: str) -> tuple[State, str | None]:
        """Wait until a run waits no more, and return what became of it, and who approved it."""
        await self.until(lambda: anyio.from_thread.run(self.state, run)[0] is not State.WAITING)
        return await self.state(run)


@asynccontextmanager
async def desk_of(session: Session, own: Path, moment: float = 0.0) -> AsyncGenerator[Desk]:
    """Have a home ask by notifications while the block runs."""
    session.run("dunstctl", "close-all")
    async with open_home(str(own), environ=session.environment) as home, anyio.create_task_group() as together:
        desk = Desk(home, session)
        together.start_soon(Notified(home, desk.look, moment).serve)
        locks = FileLocks(home.settings.places.locks)
        await desk.until(lambda: locks.anybody(ASKING))
        yield desk
        together.cancel_scope.cancel()


TASK = ("task.add", {"text": "Buy oats"})


async def test_what_does_no_harm_is_done_by_one_click(desktop: Session, tmp_path: Path):
    async with desk_of(desktop, tmp_path / "own") as desk:
        run = await desk.propose(TASK)

        await desk.press("Yes")

        assert await desk.decided(run) == (State.DONE, "notification")
        assert desk.buttons() == {"Look", "Look at it", "No", "Yes"}


async def test_what_takes_away_or_is_several_is_only_declined_or_looked_at(desktop: Session, tmp_path: Path):
    async with desk_of(desktop, tmp_path / "own") as desk:
        (desktop.home / "Documents" / "kept.txt").write_text("kept")
        deletes = await desk.propose(("file.delete", {"path": "~/Documents/kept.txt"}))
        await desk.press("Look at it")
        await desk.until(lambda: desk.looked == 1)
        one = desk.buttons()
        await desk.until(lambda: desk.shown() == 0)
        several = await desk.propose(TASK, ("task.add", {"text": "Buy milk"}))

        await desk.press("No")
        became, _ = await desk.decided(several)

        assert "Yes" not in one | desk.buttons()
        assert (await desk.state(deletes))[0] is State.WAITING
        assert became is State.DECLINED


async def test_a_click_before_it_can_have_been_read_answers_nothing(desktop: Session, tmp_path: Path):
    async with desk_of(desktop, tmp_path / "own", moment=MOMENT * 3600) as desk:
        run = await desk.propose(TASK)
        before = desk.shown("history")

        await desk.press("Yes")
        await desk.until(lambda: desk.shown("history") > before and desk.shown() == 1)

        assert (await desk.state(run))[0] is State.WAITING


async def test_what_was_answered_elsewhere_is_shown_no_more(desktop: Session, tmp_path: Path):
    async with (
        desk_of(desktop, tmp_path / "own") as desk,
        open_home(str(tmp_path / "own"), environ=desktop.environment) as terminal,
    ):
        runs = [await desk.propose(("task.add", {"text": f"Buy {number}"})) for number in range(MOST_SHOWN)]
        sixth = await terminal.take([Proposal(0, "", *TASK)], Origin("", "command"))

        for run in (*runs, sixth.run):
            await terminal.decline(run, "terminal")

        await desk.until(lambda: desk.shown() == 0)


async def test_a_signal_that_another_program_sends_answers_nothing(desktop: Session, tmp_path: Path):
    async with desk_of(desktop, tmp_path / "own") as desk:
        run = await desk.propose(TASK)
        path, name = "/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked"

        for number in range(1, 100):
            desktop.run("dbus-send", "--session", path, name, f"uint32:{number}", "string:yes")
        second = await desk.propose(("task.add", {"text": "Buy milk"}))

        assert (await desk.state(run))[0] is State.WAITING
        assert (await desk.state(second))[0] is State.WAITING

"""Reminders ring once at most, in one host, on time or as soon as somebody looks."""

from collections.abc import Sequence
from datetime import UTC, timedelta

import pytest

from sayso.assistant.triggers.events import GENERATORS, GeneratorInput
from sayso.assistant.triggers.host import LONGEST, Host, TriggerListener, TriggerRun, TriggerServices
from sayso.assistant.triggers.reminders import Notice, OpenReminders, ReminderServices, ShownNotices
from sayso.core.errors import ProviderError
from sayso.policy.settings import Policy
from sayso.providers.calendar.store import Reminder
from sayso.testing.fakes import FakeClock, MemoryTriggers

POLICY = Policy(home="/home/x", own="/own", real_home="/home/x", real_own="/own")


def due(title: str, when: str, repeats: str = "", notes: str = "") -> Reminder:
    return Reminder(f"uid-{title}", title, notes, when, repeats=repeats, rings=(0.0,) if "T" in when else (32_400.0,))


class Heard(TriggerListener):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.rung: list[str] = []
        self.wrongs: list[str] = []

    def rang(self, notice: Notice, ended: str) -> None:
        self.rung.append(f"{notice.title}: {ended}")

    def unread(self, sentence: str) -> None:
        self.wrongs.append(sentence)


class Stage:
    """Reminders, and hosts that ring them; it is noon in UTC on 2026-03-14."""

    def __init__(self, *reminders: Reminder) -> None:
        self.reminders: tuple[Reminder, ...] | None = reminders
        self.broken = ""
        self.dark = False
        self.tries = 0
        self.states = MemoryTriggers()
        self.clock = FakeClock()
        self.shown: list[tuple[str, str]] = []
        self.heard = Heard()

    def host(self) -> Host:
        return Host(
            TriggerServices(
                triggers=list,
                policy=lambda: POLICY,
                states=self.states,
                clock=self.clock,
                happened=self.nothing,
                known=self.known,
                generators=GENERATORS,
                run=self.run,
                reminders=ReminderServices(self.read, self.show),
            ),
            self.heard,
        )

    async def read(self) -> OpenReminders | None:
        if self.broken:
            raise ProviderError(self.broken)
        return None if self.reminders is None else OpenReminders(self.reminders, UTC)

    async def show(self, notices: Sequence[Notice]) -> ShownNotices:
        self.tries += 1
        if self.dark:
            return ShownNotices("there is no desktop", tuple(notices))
        self.shown += [(one.title, one.message) for one in notices]
        return ShownNotices(f"{len(notices)} done")

    async def nothing(self, trigger: object) -> dict[str, str]:
        return {}

    async def known(self) -> GeneratorInput:
        raise NotImplementedError

    async def run(self, due: object, action: object) -> TriggerRun:
        raise NotImplementedError


async def test_a_reminder_rings_at_its_time_and_never_again():
    stage = Stage(due("Tea", "2026-03-14T12:20+00:00", notes="Green"))
    host = stage.host()

    await host.once()
    before = list(stage.shown)
    stage.clock.advance(minutes=20)
    for minutes in (0, 1, 120, 60 * 24):
        await host.once()
        stage.clock.advance(minutes=minutes)
        await stage.host().once()

    assert before == []
    assert stage.shown == [("Tea", "due 12:20\nGreen")]
    assert stage.heard.rung == ["Tea: 1 done"]


async def test_of_two_hosts_one_rings_it():
    stage = Stage(due("Tea", "2026-03-14T12:20+00:00"))
    hosts = [stage.host(), stage.host()]

    for minutes in (0, 20, 1):
        stage.clock.advance(minutes=minutes)
        for host in hosts:
            await host.once()

    assert len(stage.shown) == 1


async def test_what_was_due_while_nobody_looked_rings_at_the_next_look_and_says_when_it_was_due():
    stage = Stage(
        due("Call", "2026-03-14T14:00+00:00"), due("Bin", "2026-03-15"), due("Pill", "2026-03-15T20:00+00:00")
    )
    await stage.host().once()

    stage.clock.advance(hours=26)
    await stage.host().once()

    assert stage.shown == [("Call", "was due yesterday 14:00"), ("Bin", "was due today")]


async def test_the_first_host_of_all_rings_what_was_due_in_the_last_day_alone():
    stage = Stage(due("Old", "2026-03-13T11:00+00:00"), due("Lately", "2026-03-14T09:00+00:00"))

    await stage.host().once()

    assert stage.shown == [("Lately", "was due 09:00")]


async def test_each_time_of_what_repeats_rings_also_if_nobody_completes_it():
    stage = Stage(due("Pill", "2026-03-14T13:00+00:00", "FREQ=DAILY"))
    host = stage.host()

    for _ in range(4):
        await host.once()
        stage.clock.advance(hours=24)

    await host.once()
    assert [title for title, _ in stage.shown] == ["Pill"] * 4


async def test_one_that_another_computer_made_for_a_moment_ago_rings_too():
    stage = Stage()
    await stage.host().once()
    stage.clock.advance(minutes=40)
    await stage.host().once()

    stage.reminders = (due("Tea", "2026-03-14T12:20+00:00"),)
    await stage.host().once()
    await stage.host().once()

    assert stage.shown == [("Tea", "was due 12:20")]


async def test_a_clock_that_is_set_back_rings_nothing_twice_and_still_rings_what_is_new():
    stage = Stage(due("Tea", "2026-03-14T12:20+00:00"))
    host = stage.host()
    stage.clock.advance(hours=5)
    await host.once()

    stage.clock.advance(hours=-5)
    stage.reminders = (*(stage.reminders or ()), due("Egg", "2026-03-14T12:05+00:00"))
    for _ in range(5):
        stage.clock.advance(minutes=6)
        await host.once()

    assert [title for title, _ in stage.shown] == ["Tea", "Egg"]


async def test_many_at_once_are_counted():
    stage = Stage(*(due(f"R{at}", f"2026-03-14T11:{10 + at}+00:00") for at in range(9)))

    await stage.host().once()

    assert [title for title, _ in stage.shown] == ["4 more reminders were due", "R4", "R5", "R6", "R7", "R8"]


async def test_while_they_are_not_to_ring_nothing_is_lost():
    stage = Stage(due("Tea", "2026-03-14T12:20+00:00"))
    kept = stage.reminders
    await stage.host().once()

    stage.reminders = None
    stage.clock.advance(minutes=30)
    await stage.host().once()
    silent = list(stage.shown)
    stage.reminders = kept
    await stage.host().once()

    assert silent == []
    assert stage.shown == [("Tea", "was due 12:20")]


async def test_the_host_waits_until_the_next_reminder():
    stage = Stage(due("Tea", "2026-03-14T12:00:07+00:00"))
    host = stage.host()
    await host.once()
    near = host.wait()

    stage.clock.advance(seconds=7)
    await host.once()

    assert (near, host.wait()) == (7.0, LONGEST)
    assert stage.shown == [("Tea", "due 12:00")]


async def test_reminders_that_cannot_be_read_are_told_once_and_ring_later():
    stage = Stage(due("Tea", "2026-03-14T12:20+00:00"))
    host = stage.host()
    await host.once()
    stage.clock.advance(minutes=21)

    stage.broken = "the server cannot be reached"
    await host.once()
    await host.once()
    stage.broken = ""
    await host.once()

    assert stage.heard.wrongs == ["the server cannot be reached"]
    assert [title for title, _ in stage.shown] == ["Tea"]


async def test_a_look_at_which_nothing_rings_is_stored_rarely():
    stage = Stage()
    host = stage.host()

    for _ in range(100):
        await host.once()
        stage.clock.advance(seconds=20)

    assert (await stage.states.of("\nreminders")).turn <= 2 + timedelta(seconds=2000) // timedelta(minutes=30)


async def test_what_could_not_be_shown_is_tried_again_until_the_desktop_is_there():
    stage = Stage(due("Call", "2026-03-14T09:00+00:00"))
    stage.dark = True
    host = stage.host()

    for _ in range(9):
        await host.once()
        stage.clock.advance(seconds=20)
    tries = stage.tries
    stage.dark = False
    for _ in range(9):
        await host.once()
        stage.clock.advance(seconds=20)

    assert tries == 3
    assert stage.shown == [("Call", "was due 09:00")]
    assert stage.heard.rung == ["Call: there is no desktop"]


@pytest.mark.parametrize("now", [(), (due("Call", "2026-03-14T15:00+00:00"),)], ids=["deleted", "moved"])
async def test_what_was_deleted_or_moved_before_it_could_be_shown_rings_no_more(now: tuple[Reminder, ...]):
    stage = Stage(due("Call", "2026-03-14T11:59+00:00"))
    stage.dark = True
    host = stage.host()
    await host.once()
    stage.dark, stage.reminders = False, now

    for _ in range(9):
        stage.clock.advance(seconds=20)
        await host.once()

    assert stage.tries == 1
    assert stage.shown == []


async def test_what_can_never_be_shown_is_given_up():
    stage = Stage(due("Call", "2026-03-14T09:00+00:00"))
    stage.dark = True
    host = stage.host()

    for _ in range(90):
        await host.once()
        stage.clock.advance(minutes=1)

    assert stage.tries == 31

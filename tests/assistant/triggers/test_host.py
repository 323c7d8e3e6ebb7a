"""A host looks after triggers: each due time is taken once, by one host, and what came of it is kept."""

from collections.abc import Callable, Mapping
from datetime import datetime

import pytest
from anyio.lowlevel import checkpoint
from msgspec.structs import replace

from sayso.assistant.triggers.due import BEGUN, Due, moment
from sayso.assistant.triggers.events import GENERATORS, GeneratedAction, Generator, GeneratorInput
from sayso.assistant.triggers.host import LONGEST, Host, TriggerListener, TriggerRun, TriggerServices, must_be_on
from sayso.core.conversation import Trigger, UserNote
from sayso.core.errors import ProviderError, Refused
from sayso.policy.settings import Policy
from sayso.testing.fakes import FakeClock, MemoryTriggers

ON = Policy(home="/home/x", own="/own", real_home="/home/x", real_own="/own")


@pytest.mark.req("T-53", "S0-88")
def test_it_is_on_unless_the_person_says_otherwise():
    must_be_on(ON)

    with pytest.raises(Refused, match="automation is off; “sayso config set"):
        must_be_on(replace(ON, automation=False))
    with pytest.raises(Refused, match="everything is paused; “sayso resume”"):
        must_be_on(replace(ON, automation=False, paused=True))


HOURLY = Trigger("hourly", "An hour is over", schedule="hourly", zone="UTC", lines="A")
FILES = Trigger("scans", "A scan", event="file", folder="/x", lines="A")
NOTICED = Trigger("noticed", "Somebody noticed", generator="Automated")
POLICY = Policy(home="/home/x", own="/own", real_home="/home/x", real_own="/own")


class Moment:
    def __init__(self, now: datetime, *insights: str) -> None:
        self.now = now
        self.told = (UserNote("insights", [*insights], "t"),)


class Heard(TriggerListener):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.dues: list[str] = []
        self.rans: list[str] = []
        self.wrongs: list[str] = []

    def due(self, due: Due) -> None:
        self.dues.append(due.how)

    def ran(self, due: Due, ran: TriggerRun) -> None:
        self.rans.append(ran.said)

    def wrong(self, trigger: Trigger, sentence: str) -> None:
        self.wrongs.append(sentence)


class Stage:
    """A world of fakes, and hosts in it."""

    def __init__(self, *triggers: Trigger) -> None:
        self.triggers = triggers
        self.policy = POLICY
        self.states = MemoryTriggers()
        self.clock = FakeClock()  # noon
        self.there: dict[str, str] = {}
        self.insights: list[str] = []
        self.generators: Mapping[str, Generator] = GENERATORS
        self.ran: list[tuple[Due, GeneratedAction | None]] = []
        self.heard = Heard()
        self.then: Callable[[], None] = lambda: None

    def host(self) -> Host:
        return Host(
            TriggerServices(
                triggers=lambda: self.triggers,
                policy=lambda: self.policy,
                states=self.states,
                clock=self.clock,
                happened=self.happened,
                known=self.known,
                generators=self.generators,
                run=self.run,
            ),
            self.heard,
        )

    async def happened(self, trigger: Trigger) -> Mapping[str, str]:
        if "broken" in self.there:
            raise ProviderError("the folder is gone")
        return dict(self.there)

    async def known(self) -> GeneratorInput:
        return Moment(self.clock.now(), *self.insights)

    async def run(self, due: Due, action: GeneratedAction | None) -> TriggerRun:
        self.ran.append((due, action))
        self.then()
        return TriggerRun(f"run_{len(self.ran)}", "1 done")


async def looked_at(stage: Stage, host: Host, *minutes: int) -> None:
    """Look once now, and again after each of so many minutes."""
    await host.once()
    for step in minutes:
        stage.clock.advance(minutes=step)
        await host.once()


@pytest.mark.req("S0-03")
async def test_what_is_due_runs_and_what_came_of_it_is_kept():
    stage = Stage(HOURLY)

    await looked_at(stage, stage.host(), 30, 30, 30)

    assert [due.how for due, _ in stage.ran] == ["due"]
    state = await stage.states.of("hourly")
    assert (state.run, state.said, state.fired) == ("run_1", "1 done", "2026-03-14T13:00:00+00:00")
    assert stage.heard.rans == ["1 done"]


async def test_of_two_hosts_one_takes_a_due_time():
    stage = Stage(HOURLY)
    hosts = [stage.host(), stage.host()]
    for host in hosts:
        await host.once()

    stage.clock.advance(hours=1)
    taken = [await host.look() for host in hosts]
    for host in hosts:
        await host.once()

    assert sorted(len(one) for one in taken) == [0, 1]
    assert stage.ran == []


@pytest.mark.req("S0-03")
async def test_after_nobody_hosted_them_it_says_missed_and_runs_once():
    stage = Stage(HOURLY)
    await stage.host().once()

    stage.clock.advance(hours=5, minutes=30)
    await looked_at(stage, stage.host(), 1, 1)

    assert stage.heard.dues == ["missed"]
    assert [due.how for due, _ in stage.ran] == ["missed"]


@pytest.mark.req("T-53", "S0-88")
@pytest.mark.parametrize("off", [{"automation": False}, {"paused": True}])
async def test_while_automation_is_off_nothing_is_started(off: Mapping[str, bool]):
    stage = Stage(HOURLY, FILES, NOTICED)
    stage.insights.append("organize")
    stage.policy = replace(POLICY, **off)
    host = stage.host()
    await host.once()

    stage.there["/x/a"] = "a"
    await looked_at(stage, host, 60)
    stage.policy = POLICY
    stage.insights.clear()
    await looked_at(stage, host, 1)

    assert stage.ran == []
    assert stage.heard.dues == ["off", "off"]


async def test_one_that_the_person_disabled_is_passed_over():
    stage = Stage(HOURLY)
    host = stage.host()
    await host.once()
    await stage.states.move(replace(await stage.states.of("hourly"), off=True))

    await looked_at(stage, host, 60)

    assert (stage.ran, stage.heard.dues) == ([], ["off"])


async def test_a_file_that_appears_fires_with_its_name():
    stage = Stage(FILES)
    host = stage.host()
    await host.once()

    stage.there["/x/scan.pdf"] = "scan.pdf"
    await looked_at(stage, host, 1, 1)

    assert [due.what for due, _ in stage.ran] == [("scan.pdf",)]


@pytest.mark.req("S0-72", "S0-73", "T-54")
async def test_a_generator_rests_after_its_action_also_over_a_restart():
    stage = Stage(NOTICED)
    stage.insights.append("Wants to Organize downloads")

    await looked_at(stage, stage.host())
    await looked_at(stage, stage.host(), 29)
    rested = len(stage.ran)
    await looked_at(stage, stage.host(), 1)

    assert (rested, len(stage.ran)) == (1, 2)
    assert all(action and action.source == "Automated" for _, action in stage.ran)


@pytest.mark.req("S0-72", "T-54")
async def test_a_generator_that_makes_nothing_does_not_rest():
    stage = Stage(replace(NOTICED, generator="Idle"))
    idle = Idle()
    stage.generators = {"Idle": idle}
    host = stage.host()

    await looked_at(stage, host, 1)
    first = stage.ran.copy()
    idle.makes = GeneratedAction("t", "m", "Idle")
    await looked_at(stage, host)

    assert first == []
    assert [action for _, action in stage.ran] == [idle.makes]


class Idle:
    """Fires always, and makes what it is told to."""

    name = "Idle"
    cooldown_minutes = 30
    makes: GeneratedAction | None = None

    def fires(self, known: GeneratorInput) -> bool:
        return True

    async def make(self, known: GeneratorInput) -> GeneratedAction | None:
        return self.makes


async def test_what_cannot_be_looked_after_is_told_once_and_the_others_go_on():
    wrong = replace(HOURLY, name="wrong", schedule="when I say so")
    stage = Stage(wrong, replace(NOTICED, name="who", generator="Nobody"), FILES, HOURLY)
    stage.there["broken"] = ""

    await looked_at(stage, stage.host(), 30, 30)

    assert len(stage.heard.wrongs) == 3
    assert [due.trigger.name for due, _ in stage.ran] == ["hourly"]


async def test_an_error_of_what_it_runs_is_what_came_of_it():
    stage = Stage(HOURLY)

    def broken() -> None:
        raise ProviderError("the model is silent")

    stage.then = broken
    await looked_at(stage, stage.host(), 60)

    assert (await stage.states.of("hourly")).said == "the model is silent"


async def test_a_run_that_was_cut_short_is_not_begun_again():
    stage = Stage(HOURLY)
    host = stage.host()
    await host.once()
    stage.clock.advance(hours=1)
    await host.look()  # it is taken, and then its process dies

    await looked_at(stage, stage.host(), 1)

    assert stage.ran == []
    assert (await stage.states.of("hourly")).said == BEGUN


@pytest.mark.req("S0-03")
async def test_a_click_runs_it_now_and_counts_as_fired():
    stage = Stage(replace(HOURLY, schedule=""))

    ran = await stage.host().fire(stage.triggers[0])

    assert ran == TriggerRun("run_1", "1 done")
    assert (await stage.states.of("hourly")).fired == moment(stage.clock.now())


async def test_a_click_on_a_generator_that_has_nothing_to_do_changes_nothing():
    stage = Stage(NOTICED)

    ran = await stage.host().fire(NOTICED)

    assert (ran.run, stage.ran) == ("", [])
    assert (await stage.states.of("noticed")).turn == 0


async def test_it_waits_until_the_next_time_and_not_longer_than_settings_may_change_unseen():
    stage = Stage(FILES, HOURLY)
    stage.clock.advance(minutes=59, seconds=50)

    assert stage.host().wait() == 10.0
    stage.clock.advance(minutes=1)
    assert stage.host().wait() == LONGEST
    stage.triggers = ()
    assert stage.host().wait() == LONGEST


async def test_it_serves_until_it_is_enough_and_sees_through_what_began():
    stage = Stage(HOURLY)
    pauses: list[float] = []

    async def pause(seconds: float) -> bool:
        pauses.append(seconds)
        stage.clock.advance(seconds=seconds)
        await checkpoint()
        return len(stage.ran) == 2

    await stage.host().serve(pause)

    assert [due.at.hour for due, _ in stage.ran] == [13, 14]
    assert max(pauses) <= LONGEST
    assert (await stage.states.of("hourly")).run == "run_2"

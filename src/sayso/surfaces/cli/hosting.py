"""Host the triggers in the foreground, and tell what happens line by line."""

from collections.abc import Awaitable, Callable

import anyio

from sayso.assembly import Home
from sayso.assembly.automation import Automation
from sayso.assistant.hears import Nobody
from sayso.assistant.triggers.due import Due, How
from sayso.assistant.triggers.host import Host, Listener, Ran
from sayso.core.canonical import Json
from sayso.core.ports import Clock
from sayso.core.triggers import Trigger
from sayso.runtime.locks import FileLocks
from sayso.surfaces.cli.automatic import HOSTING
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home
from sayso.surfaces.cli.stopping import Stopping, stopping

WORDS: dict[How, str] = {
    "due": "it is time",
    "missed": "missed, run now",
    "skipped": "missed, passed over",
    "off": "passed over, it is off",
    "cooling": "passed over, it has fired a short while ago",
}


class Telling(Listener):
    """Tells each thing in a line of its own, as JSON where a program reads it."""

    def __init__(self, here: Here, clock: Clock) -> None:
        self._here = here
        self._clock = clock

    def due(self, due: Due) -> None:
        """Tell that something is due."""
        since = f" (it was due {due.at.astimezone():%Y-%m-%d %H:%M})" if due.how in {"missed", "skipped"} else ""
        what: Json = [*due.what]
        self._tell(due.trigger, due.how, WORDS[due.how] + since, at=due.at.isoformat(), what=what)

    def ran(self, due: Due, ran: Ran) -> None:
        """Tell what came of it."""
        hint = f"; “sayso show {ran.run}” tells more" if ran.run else ""
        self._tell(due.trigger, "ran", ran.said + hint, run=ran.run or None, said=ran.said)

    def wrong(self, trigger: Trigger, sentence: str) -> None:
        """Tell why a trigger cannot be looked after."""
        self._tell(trigger, "wrong", sentence, said=sentence)

    def _tell(self, trigger: Trigger, event: str, sentence: str, **more: Json) -> None:
        now = self._clock.now()
        if self._here.json:
            row: dict[str, Json] = {"time": now.isoformat(), "trigger": trigger.name, "event": event}
            self._here.document_lines([{**row, **more}])
        else:
            self._here.print(f"{now.astimezone():%H:%M:%S}  {visible(trigger.name)}: {visible(sentence)}")
            self._here.out.flush()


class Leaving(Nobody):
    """Leaves a model that is still answering when the host is to end."""

    def __init__(self, stop: Stopping) -> None:
        self._stop = stop

    async def stopped(self) -> None:
        """Return when it is."""
        await anyio.wait_readable(self._stop.descriptor())


def host(here: Here, *, once: bool) -> int:
    """Host the triggers until Ctrl-C or a request to end; with `once`, look once and see through what is due."""
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:

        async def hosted(home: Home) -> None:
            serving = Host(Automation(home, hears=Leaving(stop)).world, Telling(here, home.tools.clock))
            if once:
                await serving.once()
                return
            with FileLocks(home.settings.places.locks).present(HOSTING):
                _greet(here, len(home.settings.triggers))
                await serving.serve(_pause(stop))

        in_home(here, hosted, stopping=stop.asked)
    return Exit.FINE


def _greet(here: Here, count: int) -> None:
    if here.json:
        return
    there = "1 trigger is" if count == 1 else f"{count} triggers are"
    here.print(f"{there} looked after; Ctrl-C ends it. “sayso trigger list” shows them.")
    here.out.flush()


def _pause(stop: Stopping) -> Callable[[float], Awaitable[bool]]:
    async def pause(seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await anyio.wait_readable(stop.descriptor())
        return stop.asked()

    return pause

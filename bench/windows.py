"""Measure listing the windows of an X session beside wmctrl as a whole process, in turns on one screen."""

import shutil
import time
from collections.abc import Awaitable, Callable
from statistics import median

import anyio

from bench.line import Gap, Line
from bench.size import Size
from sayso.core.ports import BackendContext
from sayso.providers.apps.x11 import build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.desktop_env import parts
from tests.desktop_env.session import Session, wait_for
from tests.desktop_env.windows import listed

NEEDED = ("dbus-daemon", "openbox", "setpriv", "wmctrl", "xclock", "Xvfb", "xprop", "xrandr")
WHAT = "listing windows, beside wmctrl -lpG as a whole process"
AIM = 2.0


def measured(size: Size) -> list[Line | Gap]:
    """List `n` windows, each with its application, its process, its bounds and its state."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return [Gap(WHAT, f"there is no {', '.join(missing)}; tools/system-packages installs it")]
    session = Session()
    try:
        parts.a_bus(session)
        parts.a_screen(session)
        for _ in range(size.n):
            session.start("xclock")
        wait_for(lambda: len(listed(session)) == size.n, f"{size.n} windows", 60)
        return [anyio.run(_beside, session, size)]
    finally:
        session.close()


async def _beside(session: Session, size: Size) -> Line:
    home = str(session.home)
    ground = BackendContext({}, home, f"{home}/.sayso", (), FakeClock(), RandomIds(), environ=session.environment)
    reads = build(ground).reads
    found = await reads.running()
    there = sum(len(app.windows) for app in found)
    if there != size.n:
        raise RuntimeError(f"{there} windows are listed, and {size.n} are there")
    ratios: list[float] = []
    ours: list[float] = []
    for _ in range(size.rounds):
        theirs = _took(lambda: session.run("wmctrl", "-lpG"))
        ours.append(await _took_async(reads.running))
        ratios.append(ours[-1] / theirs)
    beside = f"{size.n} windows in {median(ours) * 1000:.1f} ms, connecting included"
    return Line(WHAT, median(ratios), AIM, floor="a question for each property of each window", beside=beside)


def _took(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


async def _took_async(do: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await do()
    return time.perf_counter() - start

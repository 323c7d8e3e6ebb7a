"""What an action costs in a home that holds much: a million rows, ten thousand waiting, or a thousand templates."""

import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from statistics import median

import anyio

from bench.line import Gap, Line
from bench.million import made
from bench.sides.sayso import movers, settled_home
from bench.size import Size
from sayso.assembly import Home, open_home
from sayso.assembly.actions import Actions, Wanted
from sayso.policy.settings import Mode

A_WAITING, A_TEMPLATE = 100, 1_000
"""For so many rows of the large journal one proposal waits, and one action of the person's own is there."""
IN_ONE_RUN = 500
MOST = 1.2
"""How many times the time in an empty home an action may take."""
LISTED_MS = 50
_TEMPLATE = """config = {{
    "id": "letters_{n}",
    "name": "Letters {n}",
    "description": "Says how many letters there are of the year {n}.",
    "parameterSchema": {{"type": "object", "properties": {{}}}},
}}


async def handler(params, context):
    return {{"success": True, "message": "none"}}
"""

Work = Callable[[int], Awaitable[None]]


def measured(size: Size) -> list[Line | Gap]:
    """Let the homes take turns, so that whatever else the machine does falls on all of them."""
    waiting, templates = size.rows // A_WAITING, size.rows // A_TEMPLATE
    homes = {
        "an empty home": _home(size, "empty"),
        f"{size.rows:,} rows": made(size.work.parent / "bench-history", size.rows),
        f"{waiting:,} waiting": _with_waiting(size, waiting),
        f"{templates:,} templates": _with_templates(size, templates, "templates"),
    }
    one = _with_templates(size, 1, "template")
    modes: dict[str, Mode] = {"asked": "destructive", "allowed": "never"}
    lines = [line for how, mode in modes.items() for line in anyio.run(partial(_actions, homes, how, mode, size))]
    return [
        *lines,
        *anyio.run(partial(_templates, {"one": one, "many": homes[f"{templates:,} templates"]}, templates, size)),
    ]


def _home(size: Size, name: str) -> Path:
    folder = Path(size.folder(name))
    (folder / "Documents").mkdir()
    home = Path(settled_home(folder, asked=True, kind="memory"))
    with (home / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"[limits]\nwaiting = {size.rows}\n")
    return home


def _environ(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home.parent), "SAYSO_HOME": str(home)}


def _with_waiting(size: Size, count: int) -> Path:
    home = _home(size, "waiting")

    async def propose() -> None:
        async with open_home(environ=_environ(home), mode="always") as opened:
            for first in range(0, count, IN_ONE_RUN):
                names = range(first, min(first + IN_ONE_RUN, count))
                await opened.run("".join(f"CREATE_FOLDER ~/Documents/later-{name}\n" for name in names))

    anyio.run(propose)
    return home


def _with_templates(size: Size, count: int, name: str) -> Path:
    home = _home(size, name)
    (home / "actions").mkdir(mode=0o700)
    for number in range(count):
        (home / "actions" / f"letters_{number}.py").write_text(_TEMPLATE.format(n=number), encoding="utf-8")
    return home


async def _actions(homes: dict[str, Path], how: str, mode: Mode, size: Size) -> list[Line | Gap]:
    async with AsyncExitStack() as stack:
        work: dict[str, Work] = {}
        for name, home in homes.items():
            opened = await stack.enter_async_context(open_home(environ=_environ(home), mode=mode))
            (mover,) = await movers(opened, home.parent, 1, "memory")
            work[name] = mover.one_by_one
        took = await _in_turns(work, size.n, size.rounds)
    empty, *others = took
    return [
        Line(
            f"one {how} action beside {name}, against {empty}",
            median(one / other for one, other in zip(took[name], took[empty], strict=True)),
            MOST,
            beside=f"{_micros(took[name], size.n)} against {_micros(took[empty], size.n)}",
        )
        for name in others
    ]


async def _templates(homes: dict[str, Path], count: int, size: Size) -> list[Line | Gap]:
    async with AsyncExitStack() as stack:
        opened = {
            name: await stack.enter_async_context(open_home(environ=_environ(home), mode="never"))
            for name, home in homes.items()
        }
        began = time.perf_counter()
        opened["many"].own_actions()
        first = time.perf_counter() - began
        listed = await _in_turns({"many": partial(_listed, opened["many"])}, 1, size.rounds)
        took = await _in_turns({name: partial(_run, home) for name, home in opened.items()}, 1, size.rounds)
    return [
        Line(
            f"listing {count:,} templates again",
            1000 * median(listed["many"]),
            LISTED_MS,
            "ms",
            beside=f"{1000 * first:,.0f} ms for the first time, when each file is parsed",
        ),
        Line(
            f"running one of {count:,} templates, against one of one",
            median(many / one for many, one in zip(took["many"], took["one"], strict=True)),
            MOST,
            beside=f"{_micros(took['many'], 1)} against {_micros(took['one'], 1)}",
        ),
    ]


async def _listed(home: Home, n: int) -> None:
    for _ in range(n):
        home.own_actions()


async def _run(home: Home, n: int) -> None:
    for _ in range(n):
        acted = await Actions(home).run("letters_0", {}, Wanted(dry_run=True))
        if not acted.result["success"]:
            raise RuntimeError(str(acted.result["message"]))


async def _in_turns(work: dict[str, Work], n: int, rounds: int) -> dict[str, list[float]]:
    names = list(work)
    for do in work.values():
        await do(n)
    took: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            began = time.perf_counter()
            await work[name](n)
            took[name].append(time.perf_counter() - began)
    return took


def _micros(took: list[float], n: int) -> str:
    return f"{1e6 * median(took) / n:,.0f} µs"

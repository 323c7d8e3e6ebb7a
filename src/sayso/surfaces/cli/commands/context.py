"""`sayso context`: what a model is shown of this computer before it answers, and what other programs tell of you."""

import argparse
import re
from collections.abc import Mapping
from types import MappingProxyType

from sayso.assembly import Home
from sayso.assistant.prompts import TOLD
from sayso.core.conversation import Context, Told
from sayso.core.encoding import Json
from sayso.core.sanitize import fenced
from sayso.runtime.services import stamp
from sayso.surfaces.cli.app import UsageProblem
from sayso.surfaces.cli.context import Here, in_home
from sayso.surfaces.cli.direct import Deed, deed_of
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.text import visible

MOST, LONGEST = 50, 2000
"""Values under one name, and characters of each, that are taken."""
NUMBERS = frozenset({"work_minutes"})
LISTS = frozenset({"projects", "insights"})
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="show", metavar="|".join(DEEDS), help="what to do; show by itself")
    parser.add_argument(
        "words", nargs="*", metavar="KEY VALUE", help="with set: mood, work_minutes, projects, insights, or a name"
    )


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Do it."""
    return deed_of("context", DEEDS, arguments).act(arguments, here)


def _set(arguments: argparse.Namespace, here: Here) -> int:
    name, *values = arguments.words or [""]
    if not _NAME.fullmatch(name) or not any(value.strip() for value in values):
        raise UsageProblem(
            "sayso context set KEY VALUE…: name what is told in small letters, such as mood, and its value"
        )
    told = _value(name, [value.encode("utf-8", "replace").decode() for value in values])

    async def tell(home: Home) -> str:
        one = Told(name, told, stamp(home.clock.now()))
        await home.sessions.tell(one)
        return one.time

    time = in_home(here, tell)
    if here.json:
        here.document({"name": name, "value": told, "time": time})
    else:
        here.print(f"Models are told this {name} from now on; “sayso context unset {name}” takes it back.")
    return Exit.FINE


def _value(name: str, values: list[str]) -> Json:
    """Return what is told: minutes as a number, lists value by value, all else as one text."""
    if len(values) > MOST or any(len(value) > LONGEST for value in values):
        raise UsageProblem(f"sayso context set {name}: at most {MOST} values of {LONGEST:,} characters each are taken")
    if name in NUMBERS:
        if len(values) > 1 or not re.fullmatch(r"[0-9]{1,6}", values[0]):
            raise UsageProblem(f"sayso context set {name}: it is a number of minutes, such as 95")
        return int(values[0])
    return [*values] if name in LISTS else " ".join(values)


def _unset(arguments: argparse.Namespace, here: Here) -> int:
    if len(arguments.words) != 1:
        raise UsageProblem("sayso context unset KEY: what is to be told no more?")
    (name,) = arguments.words

    async def forget(home: Home) -> bool:
        return await home.sessions.forget(name)

    there = in_home(here, forget)
    if here.json:
        here.document({"name": name, "there": there})
    else:
        here.print(visible(f"Models are told no {name} any more." if there else f"Nothing was told as “{name}”."))
    return Exit.FINE


def _show(arguments: argparse.Namespace, here: Here) -> int:
    """Look, and print it."""

    async def seen(home: Home) -> tuple[Context, list[Told]]:
        return await home.context(query=True), await home.sessions.told()

    context, told = in_home(here, seen)
    if here.json:
        here.document({**document(context), "told": _rows(told)})
    else:
        here.write(context.text + (f"\n{TOLD}\n{fenced('told', _rows(told))}\n" if told else ""))
    return Exit.FINE


def _rows(told: list[Told]) -> list[Json]:
    return [{"name": one.name, "value": one.value, "told_at": one.time} for one in told]


def document(context: Context) -> dict[str, Json]:
    """Return it as JSON."""
    left_out: list[Json] = [
        {"store": one.store, "operation": one.operation, "why": one.why} for one in context.left_out
    ]
    for_queries: list[Json] = [piece.name for piece in context.pieces if piece.for_queries]
    return {
        "context": context.data,
        "for_queries": for_queries,
        "left_out": left_out,
        "text": context.text,
    }


DEEDS: Mapping[str, Deed] = MappingProxyType(
    {"show": Deed(_show, words=False), "set": Deed(_set), "unset": Deed(_unset)}
)

COMMAND = Command(
    configure,
    act,
    "sayso context --json",
    "What is switched off is not looked at. Recent files, projects and history are for questions alone. "
    "With set, other programs tell what models are to know: a mood, minutes of work, projects, insights.",
)

"""`sayso context`: what a model is shown of this computer before it answers."""

import argparse

from sayso.assembly import Home
from sayso.core.canonical import Json
from sayso.core.context import Context
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Look, and print it."""

    async def seen(home: Home) -> Context:
        return await home.context(query=True)

    context = in_home(here, seen)
    if here.json:
        here.document(document(context))
    else:
        here.write(context.text)
    return Exit.FINE


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


COMMAND = Command(
    configure,
    act,
    "sayso context --json",
    "What is switched off is not looked at. Recent files, projects and history are for questions alone.",
)

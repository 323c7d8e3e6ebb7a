"""`sayso grants`: the standing permissions, and taking one back."""

import argparse

from sayso.assembly import Home
from sayso.core.canonical import Json
from sayso.core.record import Grant
from sayso.policy.grants import said
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.persons import only_on_terminal
from sayso.surfaces.cli.usage import UsageProblem, near
from sayso.surfaces.cli.width import width_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", metavar="revoke", help="take one back")
    parser.add_argument("id", nargs="?", metavar="ID", help="which one")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """List them, or take one back."""
    if arguments.what is None:
        return _list(here)
    if arguments.what != "revoke":
        raise UsageProblem(f"sayso grants does not know “{arguments.what}”{near(arguments.what, ('revoke',))}")
    if arguments.id is None:
        raise UsageProblem("sayso grants revoke needs the id of the permission; “sayso grants” lists them")
    return _revoke(arguments.id, here)


def _list(here: Here) -> int:
    async def all_of(home: Home) -> list[Grant]:
        return await home.grants()

    grants = in_home(here, all_of)
    if here.json:
        here.document({"grants": [grant_json(grant) for grant in grants]})
    elif not grants:
        here.print("There are no standing permissions.")
    else:
        width = width_of(here)
        here.print(
            *(line for grant in grants for line in sentence(visible(said(grant)), width, f"{grant.id}  ", "    "))
        )
    return Exit.FINE


def _revoke(id: str, here: Here) -> int:  # noqa: A002 - the word of the interface
    only_on_terminal("sayso grants revoke")

    async def revoke(home: Home) -> Grant:
        return await home.revoke(id)

    grant = in_home(here, revoke)
    if here.json:
        here.document({"grants": [grant_json(grant)]})
    else:
        here.print(f"✓ taken back: {visible(said(grant))}")
    return Exit.FINE


def grant_json(grant: Grant) -> dict[str, Json]:
    """Return a standing permission as JSON."""
    return {
        "id": grant.id,
        "operation": grant.operation,
        "fixed": dict(grant.fixed),
        "free": list(grant.free),
        "created": grant.created,
        "expires": grant.expires,
        "uses": grant.uses,
        "revoked": grant.revoked,
        "says": said(grant),
    }


COMMAND = Command(configure, act, "sayso grants revoke grant_4f0c1qk2m9ab")

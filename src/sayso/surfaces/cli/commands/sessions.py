"""`sayso sessions`: list, show, rename and delete conversations with models, and show who read text by others."""

import argparse
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from sayso.assembly import Home
from sayso.assembly.home import ExposedPrincipal
from sayso.core.conversation import Exchange, Session, name_session
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.app import Command, UsageProblem, whole_number
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, act_on
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.render import moment
from sayso.surfaces.cli.terminal import only_on_terminal
from sayso.surfaces.cli.text import block, one_line, sentence


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; without it, list")
    parser.add_argument(
        "words", nargs="*", metavar="ID|NAME", help="a session, and with rename its new name; with clear-exposure, who"
    )
    parser.add_argument("--limit", type=whole_number, metavar="N", help="with list and show: how many at most; 50")


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def all_of(home: Home) -> tuple[list[Session], list[ExposedPrincipal]]:
        return await home.sessions.all(arguments.limit or 50), await home.exposed_principals()

    (found, exposed), width = in_home(here, all_of), terminal_width(here)
    if here.json:
        here.document({"sessions": [_session(one) for one in found], "exposed": [_exposed(one) for one in exposed]})
        return Exit.FINE
    for one in found:
        here.print(one_line(f"{moment(one.last)}  {one.entry:<10}  {one.exchanges:>3}  {one.id}", width))
        here.print(f"    {one_line(one.name, width - 4)}")
    if not found:
        here.print("There is no session yet; “sayso ask” begins one.")
    if exposed:
        here.print("", *sentence("These have read text by others, so you are asked before they send anything:", width))
    for who in exposed:
        sources = ", ".join(who.sources).replace("_", " ")
        here.print(one_line(f"{who.principal}  from {moment(who.since)} until {moment(who.until)}", width))
        here.print(*sentence(visible(sources), width, "    "))
    return Exit.FINE


def _clear(arguments: argparse.Namespace, here: CommandContext) -> int:
    words: list[str] = arguments.words
    if len(words) > 1:
        raise UsageProblem("sayso sessions clear-exposure: name one of those that “sayso sessions” lists, or none")
    only_on_terminal("sayso sessions clear-exposure")
    principal = words[0] if words else None

    async def clear(home: Home) -> list[str]:
        if principal is not None and principal not in {one.principal for one in await home.journal.exposures()}:
            raise ProposalError(
                f"{quoted(principal[:60])} has read no text by others; “sayso sessions” lists who has",
                "exposure.unknown",
            )
        return sorted({one.principal for one in await home.journal.clear_exposures(principal)})

    cleared = in_home(here, clear)
    if here.json:
        here.document({"cleared": list(cleared)})
    elif cleared:
        names = ", ".join(cleared)
        here.print(visible(f"What was read before no longer counts for {names}; the log keeps that you said so."))
    else:
        here.print("Nobody has read text by others.")
    return Exit.FINE


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    (id_,) = _words(arguments, 1, "which session? name its id")

    async def said(home: Home) -> tuple[Session, list[Exchange]]:
        session = await home.sessions.session(id_)
        if session is None:
            raise _unknown(id_)
        return session, await home.sessions.exchanges(id_, arguments.limit or 50)

    session, exchanges = in_home(here, said)
    if here.json:
        here.document({**_session(session), "exchanges": [_exchange(one) for one in exchanges]})
        return Exit.FINE
    width = terminal_width(here)
    here.print(visible(session.name), "")
    for one in exchanges:
        here.print(f"{moment(one.time)}  {' '.join(one.runs)}".rstrip(), "  you:", *block(one.words, width, "  "))
        here.print("  the model:", *block(one.reply, width, "  "), "")
    return Exit.FINE


def _rename(arguments: argparse.Namespace, here: CommandContext) -> int:
    id_, *name = _words(arguments, 2, "which session, and what is its new name?")
    new = name_session(" ".join(name))
    return _change_session(
        here, id_, lambda home: home.sessions.give_name(id_, new), f"It is called {quoted(new)} now."
    )


def _delete(arguments: argparse.Namespace, here: CommandContext) -> int:
    (id_,) = _words(arguments, 1, "which session? name its id")
    only_on_terminal("forgetting a session")
    return _change_session(
        here, id_, lambda home: home.sessions.delete(id_), "It is forgotten; what was done in it stays in “sayso log”."
    )


def _change_session(here: CommandContext, id_: str, change: Callable[[Home], Awaitable[bool]], said: str) -> int:
    async def work(home: Home) -> bool:
        return await change(home)

    if not in_home(here, work):
        raise _unknown(id_)
    if here.json:
        here.document({"session": id_})
    else:
        here.print(visible(said))
    return Exit.FINE


def _words(arguments: argparse.Namespace, least: int, question: str) -> list[str]:
    words: list[str] = arguments.words
    if len(words) < least or (least == 1 and len(words) > 1) or not all(word.strip() for word in words):
        raise UsageProblem(f"sayso sessions {arguments.what}: {question}")
    return words


def _unknown(id_: str) -> ProposalError:
    return ProposalError(f"there is no session {quoted(id_[:60])}; “sayso sessions” lists them", "session.unknown")


def _session(one: Session) -> dict[str, Json]:
    return {
        "id": one.id,
        "name": one.name,
        "entry": one.entry,
        "begun": one.begun,
        "last": one.last,
        "count": one.exchanges,
    }


def _exposed(one: ExposedPrincipal) -> dict[str, Json]:
    return {"principal": one.principal, "since": one.since, "until": one.until, "sources": list(one.sources)}


def _exchange(one: Exchange) -> dict[str, Json]:
    return {
        "time": one.time,
        "words": one.words,
        "reply": one.reply,
        "asked_back": one.asked_back,
        "runs": list(one.runs),
        "trace": dict(one.trace),
    }


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "list": Subcommand(_list, ("limit",), words=False),
        "show": Subcommand(_show, ("limit",)),
        "rename": Subcommand(_rename),
        "delete": Subcommand(_delete),
        "clear-exposure": Subcommand(_clear),
    }
)
COMMAND = Command(
    configure,
    act_on("sessions", DEEDS),
    "sayso sessions show ask_0AM4WQY97MZ7B",
    "They are deleted by themselves once they are older than policy.audit_keep.",
)

"""The commands of the conversation, which begin with a slash, and the copy of it that one of them writes."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.model import names_of, open_model
from sayso.assembly.why import explain
from sayso.core.conversation import Exchange, Model
from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.ports import Approver, RecordQuery
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record, State
from sayso.models.vendors import EMBEDDED, VENDORS
from sayso.runtime.results import Report, has_way_back
from sayso.surfaces.cli.app import near
from sayso.surfaces.cli.chat.offers import Offer, open_offers
from sayso.surfaces.cli.chat.start import conversations
from sayso.surfaces.cli.context import new_file
from sayso.surfaces.cli.references import complete
from sayso.surfaces.cli.render import SIGNS, moment

LISTED = 10
"""How many conversations are listed."""
_SEEN = 200
"""How many actions of a conversation are looked through for one that can be taken back."""


_ATTENDED = frozenset({"undo", "model", "sessions", "export"})
"""Commands that text from standard input, which others may have written, cannot give.

They take back, write a file anywhere, or choose to whom the conversation goes.
"""


class Talks(Protocol):
    """The conversation, as its commands use it."""

    home: Home
    session: str
    model: Model
    leaves: bool
    attended: bool
    """Whether a person is at the terminal."""

    def say(self, text: str, first: str = "") -> None:
        """Print a sentence of sayso's own; it is escaped here."""
        ...

    def list_offers(self, offers: Sequence[Offer]) -> None:
        """Print offers with the numbers that do them from now on."""
        ...

    async def take(self, work: Callable[[Approver], Awaitable[Report]]) -> None:
        """Do something that may ask the person, and show what came of it."""
        ...

    async def begin_session(self, name: str) -> None:
        """Go on with the session of this name, or with a new one. Raises `ProposalError` for an unknown one."""
        ...


class Slash(Struct, frozen=True):
    """One command: what carries it out, its argument, and what it does."""

    act: Callable[[Talks, str], Awaitable[None]]
    argument: str
    says: str
    arguments: Callable[[Talks], list[str]] | None = None
    """Returns what Tab offers for the argument."""


async def carry_out(chat: Talks, text: str) -> None:
    """Carry out the command that a text beginning with a slash names; an unknown one is told, with the nearest.

    Raises what the command raises.
    """
    name, _, argument = text[1:].partition(" ")
    found = SLASH.get(name.lower())
    if found is None:
        chat.say(f"There is no command {quoted(f'/{name[:40]}')}{near(f'/{name[:40]}', NAMES)}")
        return
    if name.lower() in _ATTENDED and not chat.attended:
        raise Refused(f"/{name.lower()} did nothing: only a person at the terminal does that here", "terminal.needed")
    await found.act(chat, argument.strip())


async def undo_last(chat: Talks, ref: str = "") -> None:
    """Take back an action or a run or, without one, all that the last run of this conversation did."""
    if ref:
        meant = complete(ref, chat.home.journal.read)
    else:
        done = await actions_of(chat)
        meant = next((record.run for record in done if has_way_back(record)), "")
        if not meant:
            chat.say(
                "Nothing that was done in this conversation can be taken back; “sayso undo --list” shows the rest."
            )
            return
    reports: list[Report] = []

    async def work(_: Approver) -> Report:
        reports.append(await chat.home.undo(meant, by="command"))
        return reports[0]

    await chat.take(work)
    outcomes = [outcome.record for report in reports for outcome in report.outcomes]
    if ref or not outcomes or any(record.state is State.DONE for record in outcomes):
        return
    before = await chat.home.undoable_before(str(outcomes[-1].undo_of))
    if before is not None:
        record, summary = before
        chat.say(f"Before that: {summary.removeprefix('Take back: ')}. /undo {record.id} takes that back.")


async def actions_of(chat: Talks) -> list[Record]:
    """Return the last actions of the conversation, newest first."""
    return await chat.home.log(RecordQuery(limit=_SEEN, session=chat.session))


async def _pending(chat: Talks, _: str) -> None:
    offers = await open_offers(chat.home)
    if not offers:
        chat.say("Nothing waits for you.")
    chat.list_offers(offers)


async def _why(chat: Talks, argument: str) -> None:
    done = (
        await chat.home.log_of(complete(argument, chat.home.journal.read)) if argument else (await actions_of(chat))[:1]
    )
    if not done and argument:
        raise ProposalError(f"there is no action or run {quoted(argument[:60])}", "action.unknown")
    if not done:
        chat.say("Nothing was proposed in this conversation yet.")
    for record in done:
        head, *rest = await explain(chat.home, record)
        chat.say(head)
        for sentence in rest:
            chat.say(sentence, "  ")
        chat.say(f"“sayso show {record.id}” shows all of it.", "  ")


async def _model(chat: Talks, name: str) -> None:
    home = chat.home
    if not name:
        chat.say(f"You talk with {chat.model.name}. “/model NAME” changes that for this conversation:")
        known = [*names_of(home.settings), EMBEDDED, *(f"{vendor.name}:…" for vendor in VENDORS)]
        chat.say(", ".join(dict.fromkeys(known)), "  ")
        return
    chat.model = open_model(home.settings, home.tools.ids, name, clock=home.tools.clock)
    told = "" if chat.model.name == EMBEDDED else "; it gets what was said in this conversation with your next words"
    chat.say(f"You talk with {chat.model.name} from now on{told}.")


async def _sessions(chat: Talks, name: str) -> None:
    if name:
        await chat.begin_session(name)
        return
    found = (await conversations(chat.home))[:LISTED]
    if not found:
        chat.say("There is no conversation yet.")
    for one in found:
        here = "  (this one)" if one.id == chat.session else ""
        chat.say(f"{one.id}  {moment(one.last)}  {one.name}{here}", "  ")
    if found:
        chat.say("“/sessions ID” goes on with one of them.")


async def _new(chat: Talks, _: str) -> None:
    await chat.begin_session("")
    chat.say("This is a new conversation; “/sessions” lists the others.")


async def _export(chat: Talks, name: str) -> None:
    file = Path(name or f"{chat.session}.md")
    if name.startswith("~/"):
        file = chat.home.settings.places.person / name[2:]
    count = await export(chat.home, chat.session, file)
    exchanges = "1 exchange is" if count == 1 else f"{count:,} exchanges are"
    chat.say(f"{exchanges} in {quoted(file)} now, which only you can read.")


async def _help(chat: Talks, _: str) -> None:
    width = max(len(f"/{name} {one.argument}") for name, one in SLASH.items())
    for name, one in SLASH.items():
        chat.say(one.says, f"  {f'/{name} {one.argument}':<{width}}  ")
    chat.say("do what stands there with this number; so does the number alone", f"  {'/1':<{width}}  ")
    chat.say("A backslash at the end of a line, or Alt-Enter, begins another line.", "  ")
    chat.say("Ctrl-C ends a reply and leaves what waits; Ctrl-D leaves the conversation.", "  ")


async def _quit(chat: Talks, _: str) -> None:
    chat.leaves = True


def _models(chat: Talks) -> list[str]:
    return [*dict.fromkeys((*names_of(chat.home.settings), EMBEDDED, *(f"{vendor.name}:" for vendor in VENDORS)))]


SLASH: Mapping[str, Slash] = MappingProxyType(
    {
        "undo": Slash(undo_last, "[ID]", "take back the last thing done here, or what the id names"),
        "pending": Slash(_pending, "", "list what waits for you, here and elsewhere, with numbers"),
        "why": Slash(_why, "[ID]", "say why the last action was asked about or not, or the one of this id"),
        "model": Slash(_model, "[NAME]", "say with which model you talk, or talk with another one", _models),
        "sessions": Slash(_sessions, "[ID]", "list your conversations, or go on with one"),
        "new": Slash(_new, "", "begin a new conversation"),
        "export": Slash(_export, "[FILE]", "write this conversation into a new Markdown file"),
        "help": Slash(_help, "", "show this list"),
        "quit": Slash(_quit, "", "leave; what waits goes on waiting"),
    }
)
NAMES = tuple(f"/{name}" for name in SLASH)


MOST = 10_000
_TICKS = re.compile("`+")


async def export(home: Home, session: str, file: Path) -> int:
    """Write the conversation into a new file of mode 0600; return how many exchanges it has. Raises `SetupError`."""
    exchanges = await home.sessions.exchanges(session, MOST)
    found = await home.sessions.session(session)
    if not exchanges or found is None:
        raise SetupError("nothing was said in this conversation yet", "export.empty")
    parts = [f"# {_line(found.name)}", f"Conversation {found.id}, exported by sayso."]
    for one in exchanges:
        rows = [record for run in one.runs for record in await home.log_of(run)]
        parts += _exchange(one, rows)
    with new_file(str(file)) as opened:
        opened.write("\n\n".join(parts) + "\n")
    return len(exchanges)


def _exchange(one: Exchange, rows: list[Record]) -> Iterator[str]:
    yield f"## {moment(one.time)}"
    yield "You said:"
    yield _fenced(one.words)
    if one.reply.strip():
        yield "The model answered:"
        yield _fenced(one.reply)
    if rows:
        yield "\n".join(f"- {SIGNS[row.state]} {row.state.value}: {_line(row.about)} (`{row.id}`)" for row in rows)


def _fenced(text: str) -> str:
    """Return a text between fences that are longer than any in it, so that it cannot end them."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(visible(line) for line in text.strip("\n").split("\n"))
    return f"{fence}text\n{lines}\n{fence}"


def _line(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", visible(" ".join(text.split())))

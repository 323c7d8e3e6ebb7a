"""`sayso operations`, `prompt` and `context`: the operations, the prompt and the context that a model gets."""

import argparse
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sayso.assembly import Home
from sayso.assembly.parts import dialect, providers_with
from sayso.assembly.wiring import kinds_of
from sayso.assistant.context import is_note_name, note_value
from sayso.assistant.prompts import TOLD
from sayso.core.conversation import ModelContext, UserNote
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.provider import Provider
from sayso.core.quotes import quoted, visible
from sayso.core.sanitize import fence_data
from sayso.policy.rules import allows
from sayso.policy.settings import Policy
from sayso.runtime.registry import catalogue, unavailable
from sayso.runtime.services import stamp
from sayso.surfaces.cli.app import Command, UsageProblem, dialect_option
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, act_on
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.text import columns, sentence


def configure_operations(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act_operations(arguments: argparse.Namespace, here: CommandContext) -> int:
    """List all operations."""
    settings = settings_of(here)
    parts = providers_with(settings)
    missing = unavailable(parts, kinds_of(parts, settings), settings.environ)
    rows = [operation_json(one, part, settings.policy, missing) for part in parts for one in part.operations]
    if here.json:
        here.document({"operations": list(rows)})
    else:
        here.print(*_lines(rows, terminal_width(here)))
    return Exit.FINE


def operation_json(
    operation: Operation, provider: Provider, policy: Policy, missing: Mapping[str, str]
) -> dict[str, Json]:
    """Return one operation as JSON."""
    why = next((missing[store] for store in (*operation.stores, provider.store) if store in missing), None)
    return {
        "id": operation.id,
        "kind": operation.kind,
        "asks": operation.asks,
        "summary": operation.summary,
        "parameters": operation.schema,
        "outside": operation.outside,
        "enabled": allows(policy, operation.id),
        "available": why is None,
        "unavailable": why,
    }


def _lines(rows: list[dict[str, Json]], width: int) -> Iterator[str]:
    wide = max(columns(str(row["id"])) for row in rows) + 2
    yield f"{'operation':<{wide}}{'kind':<12} {'asks':<6} what it does"
    for row in rows:
        off = [] if row["enabled"] else ["switched off"]
        off += [] if row["available"] else ["not available here"]
        text = f"{row['summary']}" + (f" ({', '.join(off)})" if off else "")
        first = f"{row['id']!s:<{wide}}{row['kind']!s:<12} {row['asks']!s:<6} "
        yield from sentence(visible(text), width, first, " " * (wide + 20))


OPERATIONS = Command(
    configure_operations,
    act_operations,
    "sayso operations --json",
    "With “mode” it depends on policy.mode whether you are asked; with “floor” and “click” you are asked in every "
    "mode. What a plan loses or sends can only make sayso ask more.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    dialect_option(parser)
    parser.add_argument(
        "--context", action="store_true", help="look at this computer, and add what a model is shown of it"
    )


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Print the prompt."""
    chosen = dialect(arguments.dialect)
    now = settings_of(here)
    enabled = [one for one in catalogue(providers_with(now)).values() if allows(now.policy, one.id)]
    text = chosen.describe(enabled)
    context = in_home(here, _context).text if arguments.context else ""
    if here.json:
        here.document({"dialect": chosen.name, "prompt": text} | ({"context": context} if context else {}))
    else:
        here.write(f"{text}\n{context}" if context else text)
    return Exit.FINE


async def _context(home: Home) -> ModelContext:
    return await home.context(entry="cli")  # a model's reply to this prompt comes back by `sayso run`


PROMPT = Command(configure, act, "sayso prompt --dialect lines", "Operations that are switched off are left out.")


def configure_context(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="show", metavar="|".join(DEEDS), help="what to do; without it, show")
    parser.add_argument(
        "words", nargs="*", metavar="KEY VALUE", help="with set: mood, work_minutes, projects, insights, or a name"
    )


def _set(arguments: argparse.Namespace, here: CommandContext) -> int:
    name, *values = arguments.words or [""]
    if not is_note_name(name) or not any(value.strip() for value in values):
        raise UsageProblem("sayso context set KEY VALUE…: give a name in small letters, such as mood, and a value")
    told = _value(name, [value.encode("utf-8", "replace").decode() for value in values])

    async def tell(home: Home) -> str:
        one = UserNote(name, told, stamp(home.clock.now()))
        await home.sessions.tell(one)
        return one.time

    time = in_home(here, tell)
    if here.json:
        here.document({"name": name, "value": told, "time": time})
    else:
        here.print(f"Models are told this {name} from now on; “sayso context unset {name}” takes it back.")
    return Exit.FINE


def _value(name: str, values: list[str]) -> Json:
    try:
        return note_value(name, values)
    except ProposalError as no:
        raise UsageProblem(f"sayso context set {name}: {no}") from no


def _unset(arguments: argparse.Namespace, here: CommandContext) -> int:
    if len(arguments.words) != 1:
        raise UsageProblem("sayso context unset KEY: what should models no longer be told?")
    (name,) = arguments.words

    async def forget(home: Home) -> bool:
        return await home.sessions.forget(name)

    there = in_home(here, forget)
    if here.json:
        here.document({"name": name, "there": there})
    else:
        here.print(
            visible(f"Models are no longer told this {name}." if there else f"Nothing was told as {quoted(name)}.")
        )
    return Exit.FINE


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Print the context and the stored notes."""

    async def look(home: Home) -> tuple[ModelContext, list[UserNote]]:
        return await home.context(query=True, entry=""), await home.sessions.told()

    context, told = in_home(here, look)
    if here.json:
        here.document({**document(context), "told": _rows(told)})
    else:
        here.write(context.text + (f"\n{TOLD}\n{fence_data('told', _rows(told))}\n" if told else ""))
    return Exit.FINE


def _rows(told: list[UserNote]) -> list[Json]:
    return [{"name": one.name, "value": one.value, "told_at": one.time} for one in told]


def document(context: ModelContext) -> dict[str, Json]:
    """Return the context as JSON."""
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


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {"show": Subcommand(_show, words=False), "set": Subcommand(_set), "unset": Subcommand(_unset)}
)

CONTEXT = Command(
    configure_context,
    act_on("context", DEEDS),
    "sayso context --json",
    "What is switched off is not looked at. Recent files, projects and history are shown only for questions. With "
    "set, other programs say what models should know: a mood, minutes of work, projects, insights.",
)

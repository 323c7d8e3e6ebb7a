"""`sayso mcp wrap` and the like: the MCP servers whose tools need the person's say-so, and their secrets."""

import argparse
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar, cast

import anyio

from sayso.assembly.own_changes import written_down
from sayso.assembly.parts import foreign_sections
from sayso.assembly.wiring import ground
from sayso.config import Settings
from sayso.config.write import add_server, remove_server
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import no_kill_point
from sayso.core.quotes import quoted, visible
from sayso.providers.accounts.keyring import Keyring, keyring_of, why_not
from sayso.providers.mcp import MCP
from sayso.providers.mcp.backend import WrappedBackend
from sayso.providers.mcp.definitions import Pinned, ToolDefinition, differences, forget, keep, kept
from sayso.providers.mcp.links import entry_of
from sayso.providers.mcp.recipes import Recipe, load_recipes
from sayso.providers.mcp.servers import WrappedServer, read_servers
from sayso.providers.mcp.tool_operation import kind_of
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.app import UsageProblem
from sayso.surfaces.cli.commands.mcp import LISTS
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, find_subcommand
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.mcp_import import propose
from sayso.surfaces.cli.terminal import (
    Interview,
    InterviewLeft,
    needs_person,
    no_questions_in_json,
    only_on_terminal,
)  # fmt: skip
from sayso.surfaces.cli.text import sentence, style_at

T = TypeVar("T")
_COUNTS: Mapping[str, str] = MappingProxyType(
    {"read": "only reads, not asked", "write": "changes something", "destructive": "may destroy something"}
)


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Carry out the subcommand."""
    if arguments.http or arguments.token or arguments.client or arguments.port is not None:
        raise UsageProblem(f"--http, --port, --token and --client serve agents; sayso mcp {arguments.what} does not")
    return find_subcommand("mcp", SERVER_DEEDS, arguments).act(arguments, here)


def _wrap(arguments: argparse.Namespace, here: CommandContext) -> int:
    no_questions_in_json("sayso mcp wrap", here)
    now = settings_of(here)
    name, *command = arguments.words or [""]
    if not name:
        raise UsageProblem("sayso mcp wrap NAME -- COMMAND …: under which name, and what starts the server?")
    if name in servers_of(now):
        raise SetupError(f"{quoted(name)} is wrapped already; “sayso mcp unwrap {name}” first", "mcp.wrapped")
    table: dict[str, Json] = {"command": command} if command else {}
    table |= {"url": arguments.url} if arguments.url else {}
    table |= {option: _items(text) for option in LISTS if (text := getattr(arguments, option)) is not None}
    table |= {"recipes": arguments.recipes} if arguments.recipes else {}
    table |= {option: True for option in ("trust_annotations", "local") if getattr(arguments, option)}
    (server,) = cast("Mapping[str, WrappedServer]", read_servers({name: table})).values()
    load_recipes(server.recipes, str(now.places.person))

    def write() -> None:
        with written_down(here.environ, here.tell):
            add_server(now.places, name, server.table, foreign_sections())

    return _ask_about(server, now, here, "sayso mcp wrap", write)


def _items(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _accept(arguments: argparse.Namespace, here: CommandContext) -> int:
    no_questions_in_json("sayso mcp accept", here)
    now = settings_of(here)
    server = _named(arguments, now)
    return _ask_about(server, now, here, "sayso mcp accept")


def _ask_about(
    server: WrappedServer, now: Settings, here: CommandContext, command: str, write: Callable[[], None] = lambda: None
) -> int:
    recipes = load_recipes(server.recipes, str(now.places.person))
    terminal = needs_person(command)
    try:
        interview = Interview(terminal, style_at(here.environ))
        found = _agreed_tools(interview, server, now, recipes)
        if found is None:
            interview.say("No; nothing was changed.")
            return Exit.NOT_DECIDED
        keep(str(now.places.home), server.name, found)
        write()
        interview.good(f"The tools of {quoted(server.name)} are actions here now, as {server.name}.TOOL.")
        interview.note("Agents that are connected see them once they connect anew.")
        return Exit.FINE
    finally:
        terminal.close()


def _agreed_tools(
    interview: Interview, server: WrappedServer, now: Settings, recipes: Mapping[str, Recipe]
) -> Pinned | None:
    """Show the tools of a server, and return them if the person accepts them; secrets that it needs are asked for.

    Without a yes, no secret that was given here stays in the keyring.
    """
    given: list[str] = []
    agreed = False
    try:
        for name in missing_secrets(server, now):
            given.append(name)
            ask_for_secret(server, name, now, interview)
        how = "Asking {} for its tools …" if server.url else "Starting {} to see its tools …"
        interview.say(how.format(server.shown))
        tools, left_out = _with_backend(server, now, lambda backend: backend.tools_of(server.name))
        before = _kept_or_none(str(now.places.home), server)
        _show(interview, server, tools, left_out, recipes)
        if before is not None:
            _show_changes(interview, before, server, tools)
        these = "this tool" if len(tools) == 1 else f"these {len(tools)} tools"
        agreed = interview.yes(f"Accept {these} of {quoted(server.name)}?", usual=False)
        return Pinned(server.identity, tools, left_out) if agreed else None
    except InterviewLeft:
        return None
    finally:
        take_out(server, () if agreed else given, now)


def _kept_or_none(own: str, server: WrappedServer) -> Pinned | None:
    try:
        return kept(own, server)
    except SetupError:
        return None  # the file is damaged, and is written anew


def _show(
    interview: Interview,
    server: WrappedServer,
    tools: Sequence[ToolDefinition],
    left_out: Mapping[str, str],
    recipes: Mapping[str, Recipe],
) -> None:
    interview.say(f"What {quoted(server.name)} offers; the words in quotes are the server's own:")
    for tool in tools:
        counts = kind_of(server, tool)
        back = f"; can be taken back by {quoted(recipes[tool.name].back)}" if tool.name in recipes else ""
        interview.show(f"{server.name}.{tool.name}: {_COUNTS[counts]}{back if counts != 'read' else ''}")
        if tool.description:
            interview.below(quoted(tool.description))
    for name, why in left_out.items():
        interview.show(f"{quoted(name)} is left out: {why}")
    if not server.local:
        interview.say("What its tools are given counts as leaving this computer (local = true would say otherwise).")


def _show_changes(interview: Interview, before: Pinned, server: WrappedServer, tools: Sequence[ToolDefinition]) -> None:
    found = differences(before.tools, tools)
    if before.identity != server.identity:
        interview.bad("Something else is started than when you accepted its tools.")
    for one in found:
        interview.bad(one.said)
    if found or before.identity != server.identity:
        interview.say("Standing permissions for what changed hold no longer.")
    else:
        interview.good("Nothing has changed since you accepted them.")


def _unwrap(arguments: argparse.Namespace, here: CommandContext) -> int:
    only_on_terminal("sayso mcp unwrap")
    now = settings_of(here)
    server = _named(arguments, now)
    with written_down(here.environ, here.tell):
        remove_server(now.places, server.name, foreign_sections())
    forget(str(now.places.home), server.name)
    left = take_out(server, server.secrets, now)
    if here.json:
        here.document({"name": server.name, "wrapped": False, "secrets_left": list(left)})
        return Exit.FINE
    here.print(f"✓ {quoted(server.name)} is wrapped no more; what it did stays in the log")
    if left:
        here.print(f"The keyring may still have {', '.join(map(visible, left))}, as “sayso mcp {server.name}”.")
    return Exit.FINE


def _list(_: argparse.Namespace, here: CommandContext) -> int:
    now = settings_of(here)
    rows: list[Json] = [_row(server, str(now.places.home)) for server in servers_of(now).values()]
    if here.json:
        here.document({"servers": rows})
    elif not rows:
        here.print("No other MCP servers are wrapped; “sayso mcp import” finds those of your programs.")
    for row in () if here.json else cast("list[dict[str, str]]", rows):
        here.print(visible(f"{row['name']}: {row['state']}; {row['starts']}"))
    return Exit.FINE


def _row(server: WrappedServer, own: str) -> dict[str, Json]:
    found = _kept_or_none(own, server)
    count = 0 if found is None else len(found.tools)
    state = "its tools were not accepted yet" if found is None else "1 tool" if count == 1 else f"{count} tools"
    if found is not None and found.identity != server.identity:
        state = f"its settings have changed; “sayso mcp accept {server.name}”"
    return {"name": server.name, "starts": server.shown, "state": state, "local": server.local}


def _tools(arguments: argparse.Namespace, here: CommandContext) -> int:
    now = settings_of(here)
    server = _named(arguments, now)
    found = kept(str(now.places.home), server)
    tools = found.tools if found else ()
    rows: list[Json] = [
        {"operation": f"{server.name}.{one.name}", "kind": kind_of(server, one), "says": one.description}
        for one in tools
    ]
    if here.json:
        here.document({"name": server.name, "tools": rows})
        return Exit.FINE
    if not rows:
        here.print(f"No tools of {quoted(server.name)} were accepted; “sayso mcp accept {server.name}” shows them.")
    for one in tools:
        said = f": {quoted(one.description)}" if one.description else ""
        shown = visible(f"{server.name}.{one.name}: {_COUNTS[kind_of(server, one)]}{said}")
        for line in sentence(shown, terminal_width(here)):
            here.print(line)
    return Exit.FINE


def _secret(arguments: argparse.Namespace, here: CommandContext) -> int:
    no_questions_in_json("sayso mcp secret", here)
    now = settings_of(here)
    server = _named(arguments, now, more=1)
    name = arguments.words[1]
    if name not in server.secrets:
        named = ", ".join(server.secrets) or "none"
        raise SetupError(f"{quoted(server.name)} names no secret {quoted(name)}; it names {named}", "mcp.secret")
    terminal = needs_person("sayso mcp secret")
    try:
        interview = Interview(terminal, style_at(here.environ))
        try:
            ask_for_secret(server, name, now, interview)
        except InterviewLeft:
            return Exit.NOT_DECIDED
        return Exit.FINE
    finally:
        terminal.close()


def _import(_: argparse.Namespace, here: CommandContext) -> int:
    return propose(settings_of(here), here)


def servers_of(now: Settings) -> Mapping[str, WrappedServer]:
    """Return the wrapped servers in the settings, by name."""
    return cast("Mapping[str, WrappedServer]", now.sections.get("mcp", {}).get("servers") or {})


def _named(arguments: argparse.Namespace, now: Settings, *, more: int = 0) -> WrappedServer:
    known = servers_of(now)
    if len(arguments.words) != 1 + more:
        raise UsageProblem(f"sayso mcp {arguments.what} NAME: which server? “sayso mcp list” shows them")
    name = arguments.words[0]
    if name not in known:
        raise SetupError(
            f"no MCP server {quoted(name)} is wrapped; there are: {', '.join(known) or 'none'}", "mcp.gone"
        )
    return known[name]


def _with_backend(server: WrappedServer, now: Settings, work: Callable[[WrappedBackend], Awaitable[T]]) -> T:
    async def run() -> T:
        context = ground(MCP, now, SystemClock(), RandomIds(), no_kill_point)
        backend = WrappedBackend({server.name: server}, context)
        try:
            return await work(backend)
        finally:
            backend.close()

    return anyio.run(run)


_OPTIONS = ("url", *LISTS, "trust_annotations", "local", "recipes")
SERVER_DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "wrap": Subcommand(_wrap, _OPTIONS),
        "list": Subcommand(_list, words=False),
        "tools": Subcommand(_tools),
        "accept": Subcommand(_accept),
        "unwrap": Subcommand(_unwrap),
        "secret": Subcommand(_secret),
        "import": Subcommand(_import, words=False),
    }
)


def ask_for_secret(server: WrappedServer, name: str, now: Settings, interview: Interview) -> None:
    """Ask for a secret and keep it in the keyring. Raises `SetupError` if it is not kept, and `InterviewLeft`."""
    secret = interview.hidden(f"{name} (not shown)")
    answer = anyio.run(_keyring(now).keep, entry_of(server.name, name), secret)
    if answer.how != "kept":
        raise SetupError(f"{quoted(name)} was not kept: {why_not(answer)}", "mcp.secret")
    interview.good(f"{name} is in the keyring ({answer.name}).")


def missing_secrets(server: WrappedServer, now: Settings) -> list[str]:
    """Return the names of the secrets of a server that the keyring does not have."""
    return [
        name for name in server.secrets if anyio.run(_keyring(now).get, entry_of(server.name, name)).how == "absent"
    ]


def take_out(server: WrappedServer, names: Sequence[str], now: Settings) -> list[str]:
    """Take secrets of a server out of the keyring; return the names of those that may still be there."""
    gone = {"removed", "absent", "none", "library"}
    return [name for name in names if anyio.run(_keyring(now).remove, entry_of(server.name, name)).how not in gone]


def _keyring(now: Settings) -> Keyring:
    return keyring_of(ground(MCP, now, SystemClock(), RandomIds(), no_kill_point))

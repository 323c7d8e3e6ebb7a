"""The backend of wrapped MCP servers: starts each at its first call, and calls a tool only as the person knows it."""

import hashlib
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TypeVar, cast

import anyio

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted, visible
from sayso.core.step_watch import WATCH, StepWatch
from sayso.providers.mcp.definitions import ToolDefinition, differences, kept, shorten
from sayso.providers.mcp.links import open_link
from sayso.providers.mcp.model import CallTool, Steps, TakeBackCall, ToolAnswered, WrappedServers, text_of
from sayso.providers.mcp.recipes import Look, Recipe, fill, is_empty, parsed, read_recipe
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.session import START_SECONDS, CallResult, LinkBroken, ServerSession, Tells, Turn

T = TypeVar("T")
_SHOWN = 3
_TAKE_BACK_SECONDS = 2.0
_STOP_LOOKS = 0.1
"""Seconds between two looks at whether the step is to stop."""
LATE_SECONDS = 1.0
"""How long an answer may come after the server was told that nobody waits for it: it may have been about to come."""


def build(context: BackendContext) -> "WrappedBackend":
    """Return the backend of the servers in the settings; none is started yet."""
    return WrappedBackend(cast("Mapping[str, WrappedServer]", context.settings.get("servers") or {}), context)


class WrappedReads(WrappedServers):
    """What operations can read: nothing of a server."""

    def __init__(self, context: BackendContext) -> None:
        self._ids = context.ids
        self._home = context.home

    def new_id(self) -> str:
        return self._ids.token()

    def resolve(self, path: str) -> str:
        return os.path.realpath(self._home + path[1:] if path.startswith("~") else path)


class WrappedBackend:
    """Calls tools of wrapped servers: each server is one process, shared by all callers in this process of sayso."""

    name = "servers"
    imagines = True
    note = ""
    private = True
    """Its servers belong to this process; each takes one request at a time."""

    def __init__(self, servers: Mapping[str, WrappedServer], context: BackendContext) -> None:
        self.servers = servers
        self._context = context
        self._sessions: dict[str, ServerSession] = {}
        self._turns: dict[str, anyio.Lock] = {}
        self.reads = WrappedReads(context)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Call the tool of a step once.

        Raises `Refused` or `ProviderError` if nothing was called or the server refused, and `Uncertain` if it is not
        known whether the tool did something.
        """
        server = self._server(step.server, step.identity)
        if isinstance(step, TakeBackCall):
            return await self._take_back(server, step, expects)
        recipe = read_recipe(step.recipe) if step.recipe else None
        before, after = "", ()
        async with self._session(server) as session:
            _must_be_known(session, step.server, step.tool, step.definition)
            if recipe is not None and recipe.before is not None:
                found = await self._look(server, session, recipe.before, _values(step.arguments, "", ""))
                before = found.text if found else ""
            result = await self._call(session, step, server)
            if not (failed := _says_failed(result)) and recipe is not None:
                after = await self._look_after(server, session, recipe, _values(step.arguments, result, before))
        return Applied((ToolAnswered(step.id, step.server, step.tool, result, failed, before, after),))

    async def settle(self, step: Steps, expects: Facts) -> CannotTell:
        """Return that nobody can tell: servers keep no list of calls."""
        return CannotTell("a call leaves nothing here by which one could see whether it was done")

    def imagine(self, seen: WrappedReads, step: Steps, ref: ChangeRef) -> WrappedReads:
        """Return the same object; nothing is read from servers."""
        return seen

    def tells(self, step: Steps, left: Applied) -> str:
        """Return that the server says that the call failed, if it does."""
        failed = any(isinstance(fact, ToolAnswered) and fact.failed for fact in left.facts)
        return "the server says that it failed" if failed else ""

    def close(self) -> None:
        """End all servers."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            session.link.close()

    async def capabilities(self) -> tuple[Capability, ...]:
        """Start each server, compare its tools with those that were accepted, and return what is found."""
        return tuple([await self._capability(server) for server in self.servers.values()])

    async def tools_of(self, name: str) -> tuple[tuple[ToolDefinition, ...], Mapping[str, str]]:
        """Start a server and return its tools as they are now, and which are left out and why. Raises `SaysoError`."""
        async with self._session(self.servers[name]) as session:
            return tuple(session.tools.values()), session.left_out

    async def _capability(self, server: WrappedServer) -> Capability:
        again = f"sayso mcp accept {server.name}"
        try:
            pinned = kept(self._context.own, server)
            tools, left_out = await self.tools_of(server.name)
        except SaysoError as wrong:
            return Capability(f"mcp {server.name}", "", str(wrong), "see what its program says", asked=True)
        if pinned is None or pinned.identity != server.identity:
            why = "its tools were not accepted for what the settings start now, and cannot be called"
            return Capability(f"mcp {server.name}", "", why, again, asked=True)
        found = differences(pinned.tools, tools)
        if found:
            more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            why = "; ".join(visible(one.said) for one in found[:_SHOWN]) + more
            return Capability(f"mcp {server.name}", "", f"its tools have changed: {why}", again, asked=True)
        less = f"; {len(left_out)} cannot be used" if left_out else ""
        return Capability(f"mcp {server.name}", server.shown, f"{len(tools)} tools, as you accepted them{less}")

    def _server(self, name: str, identity: str) -> WrappedServer:
        server = self.servers.get(name)
        if server is None:
            raise ProviderError(f"the MCP server {quoted(name)} is in the settings no more", "mcp.gone")
        if server.identity != identity:
            said = f"what the settings start as the MCP server {quoted(name)} has changed since this was planned"
            raise Refused(f"{said}; nothing was called", "mcp.changed", "mcp")
        return server

    @asynccontextmanager
    async def _session(self, server: WrappedServer) -> AsyncGenerator[ServerSession]:
        """Yield the conversation with a server, for one caller at a time; it is started if it does not run.

        Raises `SetupError` and `ProviderError`; nothing was called then.
        """
        async with self._turns.setdefault(server.name, anyio.Lock()):
            session = self._sessions.get(server.name)
            if session is None:
                session = ServerSession(server.name, await open_link(server, self._context))
                self._sessions[server.name] = session
            turn = await self._turn(session, server)
            try:
                await self._guarded(session, START_SECONDS, lambda: session.join(turn))
                yield session
            except LinkBroken as broken:
                said = f"the MCP server {quoted(server.name)} does not work here: {shorten(str(broken), 400)}"
                raise ProviderError(said, "mcp.server") from None
            finally:
                session.link.release(changed=session.stale)

    async def _turn(self, session: ServerSession, server: WrappedServer) -> Turn:
        """Wait until no other process asks the server. Raises `ProviderError`."""
        try:
            with anyio.move_on_after(START_SECONDS + server.timeout):
                return await until_stopped(WATCH.get(), session.link.take)
        except Stopped as stopped:
            raise ProviderError(f"stopped because {stopped}; nothing was called", "stopped") from None
        said = f"other programs have been using the MCP server {quoted(server.name)} for too long"
        raise ProviderError(f"{said}; nothing was called", "mcp.busy")

    async def _guarded(self, session: ServerSession, seconds: float, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` returns. If the server breaks or does not answer in time, it is ended: `LinkBroken`.

        A caller who stops waiting leaves it to its other users: it is told so.
        """
        done = False
        try:
            with anyio.fail_after(seconds):
                found = await ask()
                done = True
                return found
        except TimeoutError:
            raise LinkBroken(f"it did not answer within {seconds:g} seconds") from None
        except anyio.get_cancelled_exc_class():
            done = await self._taken_back(session)
            raise
        finally:
            if not done:
                await self._drop(session)

    async def _taken_back(self, session: ServerSession) -> bool:
        """Return whether the server was told that nobody waits any more."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(_TAKE_BACK_SECONDS), suppress(LinkBroken):
            await session.cancel()
            return True
        return False

    async def _drop(self, session: ServerSession) -> None:
        if self._sessions.pop(session.name, None) is None:
            return  # it has been ended already
        with anyio.CancelScope(shield=True):
            await session.link.end()

    async def _ask(
        self, server: WrappedServer, session: ServerSession, tool: str, arguments: str, tells: Tells | None = None
    ) -> CallResult:
        return await self._guarded(session, server.timeout, lambda: session.call(tool, arguments, tells))

    async def _call(self, session: ServerSession, step: CallTool, server: WrappedServer) -> str:
        """Call the tool and return its result as JSON. Raises like `apply`."""
        called = f"{quoted(step.tool)} of the MCP server {quoted(step.server)}"
        watch = WATCH.get()
        tells = watch.tell if watch.listens else None
        try:
            answer = await until_stopped(
                watch, lambda: self._ask(server, session, step.tool, step.arguments, tells), late=session.answer
            )
        except Stopped as stopped:
            said = f"{called} was stopped before it answered because {stopped}"
            if step.only_reads:
                raise ProviderError(said, "stopped") from None
            raise Uncertain(said, "mcp.stopped") from None
        except LinkBroken as broken:
            why = shorten(str(broken), 400)
            if step.only_reads or not broken.sent:
                raise ProviderError(f"{called} gave no answer: {why}", "mcp.broken") from None
            raise Uncertain(f"{called} was called, and its answer was lost: {why}", "mcp.lost") from None
        kind = _member(answer.text, "resultType") if answer.how == "result" else None
        if kind == "input_required":
            raise ProviderError(f"{called} asks for something that sayso gives to no server", "mcp.input")
        if kind not in {None, "complete"}:
            raise Uncertain(f"{called} was called, and answered in a form that sayso does not know", "mcp.form")
        if answer.how == "result":
            return answer.text
        said = f": {quoted(shorten(answer.text, 300))}"
        if answer.how == "refused" or step.only_reads:
            raise ProviderError(f"{called} was refused by the server{said}", "mcp.refused")
        raise Uncertain(f"{called} ended with an error of the server{said}", "mcp.error")

    async def _look(
        self, server: WrappedServer, session: ServerSession, look: Look, values: Mapping[str, Json]
    ) -> CallResult | None:
        """Return what a tool that only reads answers; None if it fails or cannot be asked."""
        pinned = kept(self._context.own, server)
        known = {tool.name: tool.digest for tool in pinned.tools} if pinned else {}
        if look.tool not in known or look.tool not in session.tools:
            return None
        if session.tools[look.tool].digest != known[look.tool] or session.name not in self._sessions:
            return None
        try:
            arguments = json.dumps(fill(look.arguments, values), ensure_ascii=False)
            answer = await self._ask(server, session, look.tool, arguments)
        except (LinkBroken, Refused):
            return None
        return None if answer.how != "result" or _says_failed(answer.text) else answer

    async def _look_after(
        self, server: WrappedServer, session: ServerSession, recipe: Recipe, values: Mapping[str, Json]
    ) -> tuple[str, ...]:
        found: list[str] = []
        for check in recipe.checks:
            answer = await self._look(server, session, check, values) if check.expect == "same" else None
            found.append(_digest(answer) if answer else "")
        return tuple(found)

    async def _take_back(self, server: WrappedServer, step: TakeBackCall, expects: Facts) -> Applied:
        """Look at what the recipe names, and call what takes the call back. Raises like `apply`."""
        left = next((fact for fact in expects if isinstance(fact, ToolAnswered)), None)
        if left is None or left.failed:
            raise Refused("the server said that the call failed; there is nothing to take back", "mcp.take_back", "mcp")
        recipe, values = read_recipe(step.recipe), _values(step.given, left.result, left.before)
        arguments = fill(recipe.arguments, values)
        if is_empty(arguments):
            raise Refused("the call made nothing; there is nothing to take back", "mcp.take_back", "mcp")
        async with self._session(server) as session:
            for number, check in enumerate(recipe.checks):
                answer = await self._look(server, session, check, values)
                same = answer is not None and number < len(left.after) and _digest(answer) == left.after[number]
                fits = {"succeeds": answer is not None, "fails": answer is None, "same": same}[check.expect]
                if not fits:
                    said = f"{quoted(check.tool)} of the MCP server {quoted(server.name)} shows something else now"
                    raise Refused(f"{said} than right after the call; nothing was called", "mcp.drift", "mcp")
            pinned = kept(self._context.own, server)
            known = {tool.name: tool.digest for tool in pinned.tools} if pinned else {}
            _must_be_known(session, step.server, step.tool, known.get(step.tool, ""))
            call = CallTool(
                step.id, step.server, step.tool, json.dumps(arguments, ensure_ascii=False), step.identity, ""
            )
            result = await self._call(session, call, server)
        if _says_failed(result):
            said = shorten(text_of(parsed(result)), 300)
            raise ProviderError(f"the server says that {quoted(step.tool)} failed: {quoted(said)}", "mcp.refused")
        return Applied()


def _must_be_known(session: ServerSession, server: str, tool: str, definition: str) -> None:
    found = session.tools.get(tool)
    if found is None or found.digest != definition:
        what = "has changed what it says of" if found else "no longer has"
        said = f"the MCP server {quoted(server)} {what} {quoted(tool)} since you accepted its tools"
        raise Refused(f"{said}; nothing was called; “sayso mcp accept {server}” shows it", "mcp.changed", "mcp")


def _values(given: str, result: str, before: str) -> dict[str, Json]:
    values: dict[str, Json] = {"arguments": parsed(given)}
    if result:
        values["result"] = parsed(result)
    if before:
        values["before"] = {"text": text_of(parsed(before))}
    return values


def _digest(answer: CallResult) -> str:
    return hashlib.sha256(text_of(parsed(answer.text)).encode("utf-8", "surrogatepass")).hexdigest()


def _says_failed(result: str) -> bool:
    return _member(result, "isError") is True


def _member(result: str, name: str) -> Json:
    """Return a member of a result; None if it has none. Most results do not even hold the name."""
    if f'"{name}"' not in result:
        return None
    try:
        found = parsed(result)
    except Refused:
        return None
    return cast("Mapping[str, Json]", found).get(name) if isinstance(found, Mapping) else None


class Stopped(Exception):
    """It was stopped before it ended; `str()` says why."""


async def until_stopped(
    watch: StepWatch, ask: Callable[[], Awaitable[T]], late: Callable[[], Awaitable[T]] | None = None
) -> T:
    """Return what `ask` returns; if the step is to stop, cancel that, and return what `late` does in a short time.

    Raises `Stopped` if nothing came, and what `ask` raises.
    """
    found: list[T] = []
    why = None

    async def look() -> None:
        nonlocal why
        while why is None:
            await anyio.sleep(_STOP_LOOKS)
            why = watch.stops()
        together.cancel_scope.cancel()

    try:
        async with anyio.create_task_group() as together:
            together.start_soon(look)
            found.append(await ask())
            together.cancel_scope.cancel()
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None
    if not found and late is not None:
        with anyio.move_on_after(LATE_SECONDS), suppress(LinkBroken):
            found.append(await late())
    if not found:
        raise Stopped(why)
    return found[0]

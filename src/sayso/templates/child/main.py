"""The program that runs one handler; the handler cannot read or change anything, it only sends requests over a pipe."""

import asyncio
import asyncio.selector_events
import importlib.util
import inspect
import json
import os
import sys
from importlib.abc import Loader
from pathlib import Path
from types import ModuleType
from typing import Any

AT_ONCE = 65536


class Pipe:
    """The two pipes to sayso: one line of JSON is one message."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._received = b""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, blocking until it is written."""
        data = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass") + b"\n"
        while data:
            data = data[os.write(self._writing, data) :]

    def receive(self) -> Any:
        """Wait for a message; end the process if sayso is gone."""
        while b"\n" not in self._received:
            chunk = os.read(self._reading, AT_ONCE)
            if not chunk:
                os._exit(1)
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line)


class HelperLoader(Loader):
    """Imports the helper modules of an action from the texts that sayso has sent; no file is opened."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Return the import spec of a helper module; None for any other module."""
        return importlib.util.spec_from_loader(name, self) if name in self._sources else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a helper module."""
        run(self._sources[module.__name__], f"{module.__name__}.py", module)


def run(source: str, name: str, module: ModuleType) -> None:
    """Run the text of a module."""
    exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)


def sibling(name: str) -> Any:
    """Return a module of sayso that is loaded from the file beside this one."""
    file = Path(__file__).with_name(f"{name}.py")
    module = ModuleType(f"sayso_{name}")
    run(file.read_text("utf-8"), f"sayso_{name}.py", module)
    return module


def run_handler(handler: Any, params: Any, context: Any) -> Any:
    """Return what the handler returns, whether or not it is a coroutine function."""
    given = handler(params, context)
    if inspect.isawaitable(given):

        async def wait() -> Any:
            return await given

        return asyncio.run(wait())
    return given


def loops_need_no_socket() -> None:
    """Let event loops do without the two sockets by which another thread or a signal would wake them up.

    A handler has one thread and may open no socket.
    """

    def without(loop: asyncio.AbstractEventLoop) -> None:
        """Make and close nothing."""

    for name in ("_make_self_pipe", "_close_self_pipe"):
        setattr(asyncio.selector_events.BaseSelectorEventLoop, name, without)


def main(reading: int, writing: int) -> None:
    """Give up all access that a handler must not have, say whether that succeeded, and run the handler that comes then.

    Until sayso has been told what this process can still do, it does not send the handler.
    """
    sys.dont_write_bytecode = True
    pipe = Pipe(reading, writing)
    memory = pipe.receive()["memory"]
    contexts, sandbox = sibling("context"), sibling("sandbox")
    loops_need_no_socket()
    json.dumps(json.loads("{}"))  # so that json has imported its parts before files are closed to it
    pipe.send({"type": "confined", "possible": sandbox.confine(memory, reading, writing)})
    wanted = pipe.receive()

    def report(what: str) -> None:
        pipe.send({"type": "tried", "what": what})

    sys.addaudithook(sandbox.watcher(sandbox.readable(), report))
    sys.meta_path.insert(0, HelperLoader(wanted["helpers"]))
    module = ModuleType("action")
    sys.modules["action"] = module
    ended = run_action(module, wanted, contexts, pipe)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    try:
        pipe.send(ended)
    except (ValueError, TypeError, RecursionError) as error:
        pipe.send(
            {
                "type": "failed",
                "why": f"what the handler returned cannot be written as JSON: {describe_exception(error)}",
            }
        )
    pipe.receive()


def run_action(module: ModuleType, wanted: dict[str, Any], contexts: Any, pipe: Pipe) -> dict[str, Any]:
    """Run the handler, and return the message that says how it ended."""
    try:
        run(wanted["source"], wanted["file"], module)
        handler = getattr(module, "handler", None)
        if not callable(handler):
            return {"type": "failed", "why": "“handler” is no function"}
        waits = inspect.iscoroutinefunction(handler)
        context = contexts.Context(pipe, wanted["session"], name=wanted["name"], waits=waits)
        return {"type": "result", "result": run_handler(handler, wanted["params"], context)}
    except BaseException as error:
        return {"type": "failed", "why": describe_exception(error)}


def describe_exception(odd: BaseException) -> str:
    """Return the text of an exception."""
    try:
        text = str(odd)
    except Exception:
        text = ""
    return text[:2000].encode("utf-8", "replace").decode() or type(odd).__name__


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""A small program of its own: run one handler, which can look at nothing and do nothing but ask over a pipe."""

import asyncio
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
        self._came = b""

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message."""
        data = json.dumps(message, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        while data:
            data = data[os.write(self._writing, data) :]

    def told(self) -> Any:
        """Wait for a message; sayso is gone where there is none any more."""
        while b"\n" not in self._came:
            chunk = os.read(self._reading, AT_ONCE)
            if not chunk:
                os._exit(1)
            self._came += chunk
        line, _, self._came = self._came.partition(b"\n")
        return json.loads(line)


class Beside(Loader):
    """Finds the modules beside the action's file, whose text came with it; no file is opened for them."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Return how to import one of them."""
        return importlib.util.spec_from_loader(name, self) if name in self._sources else None

    def exec_module(self, module: ModuleType) -> None:
        """Run its text."""
        run(self._sources[module.__name__], f"{module.__name__}.py", module)


def run(source: str, name: str, module: ModuleType) -> None:
    """Run the text of a module of the person's."""
    exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)


def sibling(name: str) -> Any:
    """Return the module of sayso's beside this one."""
    file = Path(__file__).with_name(f"{name}.py")
    module = ModuleType(f"sayso_{name}")
    run(file.read_text("utf-8"), f"sayso_{name}.py", module)
    return module


def run_handler(handler: Any, params: Any, context: Any) -> Any:
    """Return what the handler returned, whether it waits or not."""
    given = handler(params, context)
    if inspect.isawaitable(given):

        async def waited() -> Any:
            return await given

        return asyncio.run(waited())
    return given


def main(reading: int, writing: int) -> None:
    """Read what is to be run, give up all that is not needed for it, and run it."""
    sys.dont_write_bytecode = True
    pipe = Pipe(reading, writing)
    wanted = pipe.told()
    contexts, sandbox = sibling("context"), sibling("sandbox")
    json.dumps(json.loads("{}"))  # its parts are imported before the disk is closed

    def tried(what: str) -> None:
        pipe.tell({"type": "tried", "what": what})

    sandbox.confine(wanted["memory"], tried)
    sys.meta_path.insert(0, Beside(wanted["helpers"]))
    module = ModuleType("action")
    sys.modules["action"] = module
    ended = ending(module, wanted, contexts, pipe)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    try:
        pipe.tell(ended)
    except (ValueError, TypeError, RecursionError) as odd:
        pipe.tell(
            {"type": "failed", "why": f"what the handler returned cannot be written as JSON: {describe_exception(odd)}"}
        )
    pipe.told()


def ending(module: ModuleType, wanted: dict[str, Any], contexts: Any, pipe: Pipe) -> dict[str, Any]:
    """Run the handler and return the message that says how it ended."""
    try:
        run(wanted["source"], wanted["file"], module)
        handler = getattr(module, "handler", None)
        if not callable(handler):
            return {"type": "failed", "why": "“handler” is no function"}
        context = contexts.Context(pipe, wanted["session"], waits=inspect.iscoroutinefunction(handler))
        return {"type": "result", "result": run_handler(handler, wanted["params"], context)}
    except BaseException as odd:
        return {"type": "failed", "why": describe_exception(odd)}


def describe_exception(odd: BaseException) -> str:
    """Return what went wrong, as its own text says it."""
    try:
        text = str(odd)
    except Exception:
        text = ""
    return text[:2000].encode("utf-8", "replace").decode() or type(odd).__name__


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""The registry of commands: where each is, and what it does in one line."""

import argparse
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sayso.core.values import dataclass
from sayso.surfaces.cli.context import Here


@dataclass(frozen=True)
class Command:
    """One command. `act` returns the exit code; what it raises as `SaysoError` is told in one sentence."""

    configure: Callable[[argparse.ArgumentParser], None]
    act: Callable[[argparse.Namespace, Here], int]
    example: str
    more: str = ""
    """Sentences for `--help` beyond the one in the table."""


class Entry:
    """One line of the table: the module in `commands`, and what the command does."""

    __slots__ = ("does", "module")

    def __init__(self, module: str, does: str) -> None:
        self.module = f"sayso.surfaces.cli.commands.{module}"
        self.does = does


TABLE: Mapping[str, Entry] = MappingProxyType(
    {
        "setup": Entry("setup", "begin here: what works, which folders, when you are asked"),
        "ask": Entry("ask", "say what you want; a language model proposes, and you say so"),
        "run": Entry("run", "carry out what a model wrote, asking you where needed"),
        "parse": Entry("parse", "read what a model wrote; nothing runs, nothing is looked at"),
        "undo": Entry("undo", "take back the last thing done, one action, or a whole run"),
        "log": Entry("log", "see what was proposed and done; verify or export it"),
        "show": Entry("show", "see one action or run whole"),
        "sessions": Entry("sessions", "see, rename and forget conversations with models"),
        "pending": Entry("pending", "see what waits for your decision"),
        "approve": Entry("approve", "be shown what waits, and say yes or no"),
        "decline": Entry("decline", "say no to what waits"),
        "settle": Entry("settle", "say how an action of unknown outcome ended"),
        "grants": Entry("grants", "see, try, give and take back standing permissions"),
        "pause": Entry("pause", "stop everything"),
        "resume": Entry("resume", "let actions run again"),
        "task": Entry("task", "your own tasks: add, list, done, edit, move, import, export …"),
        "habit": Entry("habit", "your own habits: add, list, done, edit, delete, history"),
        "template": Entry("template", "your own actions: list, show, check, preview, run, log"),
        "trigger": Entry("trigger", "what starts by itself: list, fire, enable, disable, run"),
        "service": Entry("service", "have your own session look after triggers: show, install, remove"),
        "browser": Entry("browser", "start a browser with a profile of sayso's own"),
        "mcp": Entry("mcp", "serve your own agent over the Model Context Protocol"),
        "operations": Entry("operations", "list what a model may do here"),
        "prompt": Entry("prompt", "print what a model is told"),
        "context": Entry("context", "print what a model is shown of your computer"),
        "config": Entry("config", "read and change settings"),
        "doctor": Entry("doctor", "see what works here, and how to mend what does not"),
        "backup": Entry("backup", "copy the journal, and your lists, into files"),
        "try": Entry("trying", "see the whole path once, in a scratch home"),
        "completion": Entry("completion", "print the completion script of your shell"),
    }
)

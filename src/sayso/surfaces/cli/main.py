"""The entry point: the table of commands, and answers that need no command; everything else is imported when needed."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from sayso.core.version import VERSION


class TableEntry:
    """One line of the table: where the command is (`module` or `module:OBJECT` in `commands`), and what it does."""

    __slots__ = ("does", "place")

    def __init__(self, place: str, does: str) -> None:
        self.place = f"sayso.surfaces.cli.commands.{place if ':' in place else place + ':COMMAND'}"
        self.does = does


TABLE: Mapping[str, TableEntry] = MappingProxyType(
    {
        "setup": TableEntry("start:SETUP", "begin here: what works, which folders, when you are asked"),
        "ask": TableEntry("ask", "say what you want; a language model proposes, and you decide"),
        "chat": TableEntry("chat", "talk with a language model; it proposes, and you decide"),
        "run": TableEntry("run", "carry out what a model wrote, asking you where needed"),
        "parse": TableEntry("parse", "read what a model wrote; nothing runs, nothing is looked at"),
        "undo": TableEntry("undo", "take back the last thing done, one action, or a whole run"),
        "log": TableEntry("history:LOG", "see what was proposed and done; verify or export it"),
        "show": TableEntry("show", "see one action or run whole"),
        "sessions": TableEntry("sessions", "see, rename and forget conversations with models"),
        "pending": TableEntry("history:PENDING", "see what waits for your decision"),
        "approve": TableEntry("decisions:APPROVE", "be shown what waits, and say yes or no"),
        "decline": TableEntry("decisions:DECLINE", "say no to what waits"),
        "settle": TableEntry("decisions:SETTLE", "say how an action of unknown outcome ended"),
        "grants": TableEntry("grants", "see, try, give and take back standing permissions"),
        "pause": TableEntry("config:PAUSE", "stop everything"),
        "resume": TableEntry("config:RESUME", "let actions run again"),
        "task": TableEntry("lists:TASK", "your own tasks: add, list, done, edit, move, import, export …"),
        "habit": TableEntry("lists:HABIT", "your own habits: add, list, done, edit, delete, history"),
        "reminder": TableEntry("reminders:REMINDER", "what you are to be reminded of: list, add, done, delete"),
        "calendar": TableEntry("reminders:CALENDAR", "the events of the next days, or of any"),
        "template": TableEntry("template", "your own actions: list, show, check, preview, run, log"),
        "trigger": TableEntry("triggers:TRIGGER", "what starts by itself: list, add, fire, enable, run"),
        "service": TableEntry("triggers:SERVICE", "have your own session look after triggers: show, install, remove"),
        "browser": TableEntry("browser", "start a browser with a profile of sayso's own"),
        "serve": TableEntry("serve", "serve sayso's own page, for you at this computer"),
        "mcp": TableEntry("mcp", "serve your own agent over MCP; put other MCP servers behind sayso"),
        "acp": TableEntry("acp", "serve the chat to your editor over the Agent Client Protocol"),
        "hook": TableEntry("hook", "have coding agents write down and keep what they do themselves"),
        "operations": TableEntry("model_view:OPERATIONS", "list what a model may do here"),
        "prompt": TableEntry("model_view:PROMPT", "print what a model is told"),
        "context": TableEntry("model_view:CONTEXT", "print what a model is shown of your computer"),
        "config": TableEntry("config", "read and change settings"),
        "doctor": TableEntry("start:DOCTOR", "see what works here, and how to mend what does not"),
        "backup": TableEntry("backup", "copy all that sayso holds into one file"),
        "restore": TableEntry("backup:RESTORE", "put a backup back, after showing what it replaces"),
        "try": TableEntry("start:TRY", "see the whole path once, in a scratch home"),
        "completion": TableEntry("completion", "print the completion script of your shell"),
    }
)


def answer_at_once(words: Sequence[str]) -> str | None:
    """Return the version or the overview, if the command line asks for one of them; otherwise None."""
    name = words[0] if words else ""
    if name in {"--version", "-V"}:
        return f"sayso {VERSION}"
    return overview() if name in {"", "-h", "--help", "help"} else None


def overview() -> str:
    """Return the text that `sayso --help` prints."""
    rows = "\n".join(f"  {name:<12} {entry.does}" for name, entry in TABLE.items())
    return (
        "sayso: a model proposes actions on your computer; nothing happens without your\n"
        "say-so, everything is written down, and nearly everything can be taken back.\n\n"
        f"usage: sayso COMMAND …\n\n{rows}\n\n"
        "`sayso COMMAND --help` shows its options and an example; all take --json.\n"
        "New here: `sayso setup`, or `sayso try` to look first, in a scratch home."
    )


def main(words: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = sys.argv[1:] if words is None else words
    said = answer_at_once(words)
    if words and said is not None:
        try:
            print(said, flush=True)
        except (OSError, ValueError):
            pass  # printed again by `run`, which handles errors of the output
        else:
            return 0
    # `core.lazy` is not used, because it imports `typing`, which would delay the version and the overview.
    return import_module("sayso.surfaces.cli.app").run(words, environ)

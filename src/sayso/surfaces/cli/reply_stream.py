"""Show a model's reply as it arrives, and the trace of the request."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import cast

from anyio import wait_readable

from sayso.core.encoding import Json
from sayso.core.quotes import visible
from sayso.runtime.results import Report
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.text import BAR, WRAPPED, Style, block, sentence, width_of


class Flow:
    """Formats streamed text with a bar before each line, wrapped at `width`; without a width it is only escaped."""

    def __init__(self, width: int | None) -> None:
        self._room = None if width is None else max(width - len(BAR), 16)
        self._taken = 0
        self.open = False
        """Whether the last line is still incomplete."""

    def add(self, text: str) -> str:
        """Return the output for the next piece of the text."""
        first, *rest = text.split("\n")
        out = self._more(first)
        for line in rest:
            out += ("" if self.open else self._begin_line()) + "\n"
            self.open = False
            out += self._more(line)
        return out

    def end(self) -> str:
        """Return a line break if the last line is incomplete."""
        was, self.open = self.open, False
        return "\n" if was else ""

    def _more(self, piece: str) -> str:
        if not piece:
            return ""
        out = "" if self.open else self._begin_line()
        for letter in "⇥   ".join(visible(part) for part in piece.split("\t")):
            wide = width_of(letter)
            if self._room is not None and self._taken + wide > self._room:
                out, self._taken = f"{out}\n{WRAPPED}", 0
            out += letter
            self._taken += wide
        return out

    def _begin_line(self) -> str:
        self.open, self._taken = True, 0
        return "" if self._room is None else BAR


class TerminalReplyView:
    """Shows the reply; `quiet` hides the progress line, `stop` returns a descriptor that signals Ctrl-C."""

    def __init__(
        self, here: CommandContext, quiet: Callable[[], AbstractContextManager[None]], stop: Callable[[], int]
    ) -> None:
        self._here = here
        self._quiet = quiet
        self._stop = stop
        self._flow = Flow(terminal_width(here) if here.out.isatty() else None)
        self._line = ExitStack()
        """Hides the progress line while a line of the reply is incomplete; otherwise it would overwrite that line."""
        self.any = False
        """Whether any text was shown."""

    def show_text(self, text: str) -> None:
        """Print the next piece of the reply's text for the person, escaped for the terminal."""
        if self._here.json or not text:
            return
        self.any = True
        self._print(self._flow.add(text))

    def show_progress(self, line: str) -> None:
        """Print the progress of a tool call."""
        self.end_reply()
        with self._quiet():
            self._here.tell(f"… {line}")

    def show_outcomes(self, report: Report) -> None:
        """Do nothing: the outcomes of all turns are printed together at the end."""

    def end_reply(self) -> None:
        """End the incomplete line, if there is one."""
        self._print(self._flow.end())

    async def wait_for_stop(self) -> None:
        """Return when the person presses Ctrl-C."""
        await wait_readable(self._stop())

    def _print(self, text: str) -> None:
        if not text:
            return
        with self._line.pop_all(), self._quiet():
            self._here.write(text)
            self._here.out.flush()
            if self._flow.open:
                self._line.enter_context(self._quiet())


PARTS = (
    ("Context", "context"),
    ("System Prompt", "system_prompt"),
    ("User Prompt", "user_prompt"),
    ("LLM Response", "response"),
    ("Parsed Commands", "commands"),
    ("Execution Results", "results"),
)
_TURN = PARTS[2:]


def trace_lines(trace: Mapping[str, Json], width: int, style: Style) -> list[str]:
    """Return the six parts of a trace in order; with several turns, the last four parts are repeated for each turn."""
    turns = [cast("Mapping[str, Json]", turn) for turn in cast("list[Json]", trace.get("turns") or [])]
    out = [line for part in PARTS[:2] for line in _part(*part, trace, width, style)]
    several = len(turns) > 1
    if not several:
        out += [line for part in _TURN for line in _part(*part, trace, width, style)]
    for number, turn in enumerate(turns if several else [], 1):
        for name, key in _TURN:
            out += _part(f"{name}, turn {number}", key, turn, width, style)
    read = [str(line) for turn in turns for line in cast("list[Json]", turn.get("why") or [])]
    if read:
        out += [*(part for line in read for part in sentence(visible(line), width, "Read as: ")), ""]
    outside = cast("list[str]", trace.get("outside") or [])
    if outside:
        out += [*sentence(visible(", ".join(outside)), width, "Words of others stood in: "), ""]
    error = trace.get("error")
    return [*out, *(_part("Why it ended", "error", trace, width, style) if error else [])]


def _part(name: str, key: str, trace: Mapping[str, Json], width: int, style: Style) -> Iterator[str]:
    value = trace.get(key)
    yield style.bold(f"{name}:")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    yield from block(text.rstrip("\n"), width, "  ") if text.strip() else ["  (nothing)"]
    yield ""

"""The conversation: read words, ask the model or carry out a command, and show what came of it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker, AskResult
from sayso.core.conversation import Model
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.ports import Approver
from sayso.core.proposal import TERMINAL
from sayso.models.vendors import EMBEDDED
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.send_delay import SilentDelay
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.chat.completions import Completions
from sayso.surfaces.cli.chat.lines import Interrupted, Left, PipedLines, PlainLines, ReadsWords, Typed
from sayso.surfaces.cli.chat.markdown import Look
from sayso.surfaces.cli.chat.plain import PLAIN_BAR, PlainTerminal
from sayso.surfaces.cli.chat.slash import NAMES, SLASH, carry_out
from sayso.surfaces.cli.chat.start import ENTRY, ChatOptions, Input, find_session, recalled
from sayso.surfaces.cli.chat.view import ChatView
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import exit_of_all
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.progress import Countdown, ProgressLine, StopSignals, stopping
from sayso.surfaces.cli.prompts import person
from sayso.surfaces.cli.render import how_to_decide
from sayso.surfaces.cli.run_loop import AllowlistApprover
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal
from sayso.surfaces.cli.text import Style

PROMPT = "you: "
"""The prompt of plain lines."""


def talk(options: ChatOptions, here: CommandContext) -> int:
    """Talk until the person leaves or the input ends, and return the exit code."""
    terminal = NoTerminal("nobody is at a terminal") if options.input is Input.PIPED else find_terminal()
    if isinstance(terminal, Terminal) and options.plain:
        terminal = PlainTerminal(terminal.descriptor)
    if options.plain:
        here = replace(here, environ={**here.environ, "TERM": "dumb"})
    turns = Turns()

    async def work(home: Home) -> int:
        chat = Chat(home, here, options, terminal, turns)
        await chat.begin()
        return await chat.talk()

    silent = ProgressLine(here.err, "")  # never started: nothing that was shown is written over
    return in_home(here, work, stopping=turns.asked, waits=Countdown(here, silent, SilentDelay(SystemClock())))


class Turns:
    """Passes on Ctrl-C to the turn that is going on."""

    def __init__(self) -> None:
        self.stop: StopSignals | None = None

    def asked(self) -> bool:
        """Return whether the turn that is going on was told to stop."""
        return self.stop is not None and self.stop.asked()


class Chat:
    """One conversation at a terminal, or on standard input."""

    def __init__(
        self, home: Home, here: CommandContext, options: ChatOptions, terminal: Terminal | NoTerminal, turns: Turns
    ) -> None:
        self.home = home
        self.here = here
        self.options = options
        self.session = ""
        self.leaves = False
        """Whether the person leaves after this turn."""
        self.model: Model = open_model(home.settings, home.tools.ids, options.model or None, clock=home.tools.clock)
        self.reports: list[Report] = []
        """The reports of this process."""
        self._terminal = terminal
        self._turns = turns
        style = Style() if options.plain else here.style
        marks = not (style.colour or options.plain)
        bar = {"bar": PLAIN_BAR, "wrapped": PLAIN_BAR} if options.plain else {}
        self.look = Look(terminal_width(here), style, marks=marks, **bar)

    async def begin(self) -> None:
        """Find the session, and say with whom the person talks. Raises `ProposalError` for an unknown session."""
        await self.begin_session(self.options.session)
        self.say(f"sayso chat with {self.who()}. /help lists the commands; Ctrl-D leaves.")
        if self.model.name == EMBEDDED:
            self.say("A language model understands more: “sayso config model” sets one up.")
        self._gap()

    def who(self) -> str:
        """Return with whom the person talks."""
        return "the built-in rules, which send nothing anywhere" if self.model.name == EMBEDDED else self.model.name

    async def begin_session(self, name: str) -> None:
        """Go on with the session of this name, or with a new one. Raises `ProposalError` for an unknown one."""
        self.session = await find_session(self.home, name)

    async def talk(self) -> int:
        """Read words and answer them until the person leaves; return the exit code."""
        words, was_empty = await self._reader(), False
        while True:
            try:
                typed = await words.read()
            except Left:
                break
            except Interrupted as interrupted:
                if interrupted.empty and was_empty:
                    break
                was_empty = interrupted.empty
                if was_empty:
                    self.say("Ctrl-C once more leaves; Ctrl-D does, too.")
                continue
            was_empty = False
            if not await self._answer(typed):
                break
            self._gap()
        return exit_of_all(self.reports) if self.options.input is Input.PIPED else 0

    async def _reader(self) -> ReadsWords:
        if self.options.input is Input.PIPED or not isinstance(self._terminal, Terminal):
            return PipedLines(self.here.stdin, lambda said: self.say(said, "> "))
        if self.options.input is Input.LINES:
            return PlainLines(self._terminal, PROMPT, self.say)
        said = await recalled(self.home) if self.home.settings.sections["chat"]["history"] else []
        make: Callable[..., ReadsWords] = load("sayso.surfaces.cli.chat.editor:EditedLines")
        return make(said, self._completions(), colour=self.look.style.colour)

    async def _answer(self, typed: Typed) -> bool:
        """Carry out a command, or ask the model; return False if the person leaves."""
        words = typed.text.encode("utf-8", "replace").decode().strip()
        if words.startswith("/"):
            await carry_out(self, words)
        elif words:
            await self.ask(words)
        return not self.leaves

    async def ask(self, words: str) -> None:
        """Ask the model, and show its reply and what came of it."""
        with stopping(self.say) as stop:
            self._turns.stop = stop
            self.home.while_reading = stop.leaving
            view = ChatView(self.here, self.look, stop.descriptor)
            asker = Asker(self.session, self._approver(stop), view=view, wrote=words, principal=TERMINAL)
            try:
                answer = await self.home.ask(words, ENTRY, self.model, asker)
                self._show(answer, view)
            except SaysoError as no:
                view.end_reply()
                view.say(f"{no}", "sayso: ")
            except KeyboardInterrupt as left:
                view.end_reply()
                view.say(str(left) or "stopped", "sayso: ")
            finally:
                self._turns.stop = None

    def _show(self, answer: AskResult, view: ChatView) -> None:
        view.show_outcomes(answer.report)
        self.reports.append(answer.report)
        if not view.any:
            view.say("Nothing to do.")
        waiting = how_to_decide(answer.report, "nobody answered")
        if waiting is not None:
            view.say(waiting, "sayso: ")

    def _completions(self) -> Completions:
        offers = {f"/{name}": partial(one.arguments, self) for name, one in SLASH.items() if one.arguments}
        return Completions(NAMES, offers, self.home.settings.places.person)

    def _approver(self, stop: StopSignals) -> Approver:
        if not isinstance(self._terminal, Terminal):
            return Nobody()
        asks = person(self.here, self.home, self._terminal, stop, edit_first=False)
        return AllowlistApprover(replace(asks, style=self.look.style), self.home, self.here)

    def say(self, text: str, first: str = "") -> None:
        """Print a sentence of sayso's own; it is escaped here."""
        with suppress(BrokenPipeError):
            ChatView(self.here, self.look, lambda: 0).say(text, first)

    def _gap(self) -> None:
        self.here.print("")
        self.here.out.flush()

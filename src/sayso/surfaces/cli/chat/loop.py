"""The conversation: read words, ask the model or carry out a command, and show what came of it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.attachments import Wording, attach, describe
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker, AskResult, Attachment
from sayso.assistant.prompts import DECIDED
from sayso.core.conversation import Model
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.ports import Approver
from sayso.core.proposal import TERMINAL
from sayso.core.quotes import quoted
from sayso.models.vendors import EMBEDDED
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.services import SilentDelay
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.chat.completions import Completions
from sayso.surfaces.cli.chat.lines import Interrupted, Left, PipedLines, PlainLines, ReadsWords, Typed
from sayso.surfaces.cli.chat.markdown import Look
from sayso.surfaces.cli.chat.offers import Offer, open_offers
from sayso.surfaces.cli.chat.slash import NAMES, SLASH, carry_out, undo_last
from sayso.surfaces.cli.chat.start import ENTRY, ChatOptions, Input, conversations, recalled
from sayso.surfaces.cli.chat.view import PLAIN_BAR, ChatView, PlainTerminal
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import exit_of_all
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.progress import Countdown, ProgressLine, StopSignals, nothing_to_stop, stopping
from sayso.surfaces.cli.prompts import person
from sayso.surfaces.cli.references import find_session
from sayso.surfaces.cli.render import how_to_decide
from sayso.surfaces.cli.run_loop import AllowlistApprover
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal
from sayso.surfaces.cli.text import Style

BEGIN = "sayso chat"
"""The command that begins a conversation."""
PROMPT = "you: "
"""The prompt of plain lines."""
PROMPT_SHOWN = "> "
"""What stands before words that were not typed here."""
LAST = 3
"""How many exchanges are shown of a conversation that goes on."""
MOST_DIGITS = 3
_UNDO = frozenset(
    f"{how}{what}"
    for how in ("undo", "revert")
    for what in ("", " it", " that", " this", " the last one", " the last thing", " the last action")
) | {f"{how} {what} back" for how in ("take", "put") for what in ("it", "that", "this")}


def is_undo(words: str) -> bool:
    """Return whether these words ask for what `/undo` does; the whole of them must."""
    said = " ".join(words.lower().split()).strip(" .!").removeprefix("please ").removesuffix(" please").strip(" ,")
    return said in _UNDO


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
        self.attended = isinstance(terminal, Terminal) and options.input is not Input.PIPED
        self._numbered: list[Offer] = []
        """What the numbers mean now."""
        self._seen: list[Offer] = []
        """The offers that were printed after the last turn."""
        self._sessions: list[str] = []
        """What Tab offers as sessions."""
        self._terminal = terminal
        self._turns = turns
        style = Style() if options.plain else here.style
        marks = not (style.colour or options.plain)
        bar = {"bar": PLAIN_BAR, "wrapped": PLAIN_BAR} if options.plain else {}
        self.look = Look(terminal_width(here), style, marks=marks, **bar)

    async def begin(self) -> None:
        """Find the session, and say with whom the person talks. Raises `ProposalError` for an unknown session."""
        # before anything is shown
        name = await find_session(self.home.sessions, self.home.ids, self.options.session, ENTRY, BEGIN)
        self.say(f"sayso chat with {self._who()}. /help lists the commands; Ctrl-D leaves.")
        if self.model.name == EMBEDDED:
            self.say("A language model understands more: “sayso config model” sets one up.")
        else:
            self.say(
                f"What you say goes to {self.model.name}, with this conversation and what “sayso context” shows; "
                "so does a file that you name after @, as data."
            )
        if self.attended and not self.home.settings.places.config.exists():
            self.say("You are asked before anything is moved, deleted or replaced; “sayso setup” lets you choose.")
        if self.options.session:
            await self.begin_session(name)
        self.session = name
        self._sessions = [one.id for one in await conversations(self.home)]
        self._gap()

    async def begin_session(self, name: str) -> None:
        """Go on with the session of this name, or with a new one. Raises `ProposalError` for an unknown one."""
        self.session = await find_session(self.home.sessions, self.home.ids, name, ENTRY, BEGIN)
        self._numbered, self._seen = [], []
        exchanges = await self.home.sessions.exchanges(self.session, LAST) if name else []
        if not name:
            return
        session = await self.home.sessions.session(self.session)
        earlier = (session.exchanges if session else 0) - len(exchanges)
        self.say(f"This goes on with {self.session}{f', after {earlier:,} earlier exchanges' if earlier > 0 else ''}:")
        for one in exchanges:
            self._gap()
            for line in one.words.split("\n") if one.words != DECIDED else ():
                self.say(line, PROMPT_SHOWN)
            view = ChatView(self.here, self.look, int)
            view.show_text(one.reply)
            view.end_reply()

    def _who(self) -> str:
        return "the built-in rules, which send nothing anywhere" if self.model.name == EMBEDDED else self.model.name

    async def talk(self) -> int:
        """Read words and answer them until the person leaves; return the exit code."""
        words, was_empty = await self._reader(), False
        while not self.leaves:
            try:
                # A Ctrl-C that is too late to end the reply does not end the conversation; at the prompt it is a key.
                with nothing_to_stop() if self.attended else nullcontext():
                    await self._tell_offers()
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
            await self._answer(typed)
            self._gap()
        return exit_of_all(self.reports) if self.options.input is Input.PIPED else 0

    async def _reader(self) -> ReadsWords:
        if not self.attended or not isinstance(self._terminal, Terminal):
            return PipedLines(self.here.stdin, lambda said: self.say(said, PROMPT_SHOWN))
        if self.options.input is Input.LINES:
            return PlainLines(self._terminal, PROMPT, self.say)
        said = await recalled(self.home) if self.home.settings.sections["chat"]["history"] else []
        make: Callable[..., ReadsWords] = load("sayso.surfaces.cli.chat.editor:EditedLines")
        return make(said, self._completions(), colour=self.look.style.colour)

    async def _answer(self, typed: Typed) -> None:
        """Carry out a command or what a number means, or ask the model."""
        words = typed.text.encode("utf-8", "replace").decode().strip()
        number = words.removeprefix("/")
        try:
            if number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS and self.attended:
                await self._take_number(int(number), typed)
            elif words.startswith("/"):
                await carry_out(self, words)
            elif is_undo(words) and self.attended:
                await undo_last(self)
            elif words:
                await self.ask(typed)
        except SaysoError as no:
            self.say(str(no), "sayso: ")

    async def _take_number(self, number: int, typed: Typed) -> None:
        if not 1 <= number <= len(self._numbered):
            if typed.text.strip().startswith("/"):
                self.say(f"Nothing stands here with the number {number}.")
            else:
                await self.ask(typed)
            return
        offer = self._numbered[number - 1]

        async def work(view: ChatView, approver: Approver) -> None:
            self._show(await offer.take(self.home, approver), view)
            asker = Asker(self.session, approver, view=view, principal=TERMINAL)
            view.thinking.begin()
            self._show_answer(await self.home.go_on(ENTRY, self.model, asker), view)

        await self._turn(work)

    async def ask(self, typed: Typed) -> None:
        """Ask the model, and show its reply and what came of it; if something cannot be attached, nothing is sent."""
        words = typed.text.encode("utf-8", "replace").decode().strip()

        async def work(view: ChatView, approver: Approver) -> None:
            with_them = await attach(self.home, self.session, ENTRY, Wording(typed.text, Path.cwd(), typed.pasted))
            for report in with_them.refused:
                view.show_outcomes(report)
            if with_them.refused:
                view.say("Nothing was sent to the model.")
                return
            if with_them.missing:
                names = ", ".join(map(quoted, with_them.missing))
                view.say(f"There is no file {names} in this folder; that is sent as words only.")
            if with_them.texts:
                view.say(self._tell_sent(with_them.texts))
            wrote = words if self.attended else ""  # what was piped in may be anybody's
            asker = Asker(self.session, approver, view=view, wrote=wrote, principal=TERMINAL, attached=with_them.texts)
            view.thinking.begin()
            self._show_answer(await self.home.ask(words, ENTRY, self.model, asker), view)

        await self._turn(work)

    def _tell_sent(self, attached: tuple[Attachment, ...]) -> str:
        if self.model.name == EMBEDDED:
            return f"The built-in rules read only your words, and not {describe(attached)}."
        return f"To {self.model.name}: your words and, as data, {describe(attached)}."

    async def take(self, work: Callable[[Approver], Awaitable[Report]]) -> None:
        """Do something that may ask the person, and show what came of it."""

        async def show(view: ChatView, approver: Approver) -> None:
            self._show(await work(approver), view)

        await self._turn(show)

    async def _turn(self, work: Callable[[ChatView, Approver], Awaitable[None]]) -> None:
        """Do the work of one turn; Ctrl-C ends it, and an error is told."""
        with stopping(self.say) as stop, self.home.tools.locks.alone(self.session) as alone:
            if not alone:
                self.say("A reply goes on in this conversation elsewhere; try again when it has ended.", "sayso: ")
                return
            self._turns.stop = stop
            self.home.while_reading = stop.leaving
            quiet = self.options.plain or self.model.name == EMBEDDED
            view = ChatView(self.here, self.look, stop.descriptor, quiet=quiet)
            try:
                await work(view, self._approver(stop))
            except SaysoError as no:
                view.end_reply()
                view.say(str(no), "sayso: ")
            except KeyboardInterrupt as left:
                view.end_reply()
                view.say(str(left) or "stopped", "sayso: ")
            finally:
                view.thinking.end()
                self._turns.stop = None

    def _show_answer(self, answer: AskResult | None, view: ChatView) -> None:
        if answer is not None:
            self._show(answer.report, view)
            if answer.stopped:
                view.say(answer.stopped)

    def _show(self, report: Report, view: ChatView) -> None:
        view.show_outcomes(report)
        self.reports.append(report)
        if not view.any:
            view.say("Nothing to do.")
        waiting = None if self.attended else how_to_decide(report, "nobody answered")
        if waiting is not None:
            view.say(waiting, "sayso: ")

    async def _tell_offers(self) -> None:
        """Print what waits and what is on offer in this conversation, if that has changed."""
        offers = await open_offers(self.home, self.session) if self.attended else []
        if offers and offers != self._seen:
            self.list_offers(offers)
            self._gap()
        self._seen = offers

    def list_offers(self, offers: Sequence[Offer]) -> None:
        """Print offers with the numbers that do them from now on."""
        self._numbered = list(offers)
        for number, one in enumerate(offers, 1):
            self.say(one.says, f"{number:>3}  ")
        if offers:
            self.say(f"Type {'its number' if len(offers) == 1 else 'a number'} to go on with it.")

    def _completions(self) -> Completions:
        offers: dict[str, Callable[[], Sequence[str]]] = {"/sessions": lambda: self._sessions}
        offers |= {f"/{name}": partial(one.arguments, self) for name, one in SLASH.items() if one.arguments}
        return Completions(NAMES, offers, self.home.settings.places.person)

    def _approver(self, stop: StopSignals) -> Approver:
        if not isinstance(self._terminal, Terminal):
            return Nobody()
        asks = person(self.here, self.home, self._terminal, stop, edit_first=False)
        return AllowlistApprover(replace(asks, style=self.look.style), self.home, self.here)

    def say(self, text: str, first: str = "") -> None:
        """Print a sentence of sayso's own; it is escaped here."""
        with suppress(BrokenPipeError):
            ChatView(self.here, self.look, int).say(text, first)

    def _gap(self) -> None:
        self.here.print("")
        self.here.out.flush()

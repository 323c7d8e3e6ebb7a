"""Prompts: the question for one action or for a batch, the keys that answer it, and the approvers."""

import re
from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.parts import dialect
from sayso.core.card_groups import ranges
from sayso.core.decision import Card, Decision, Question
from sayso.core.dialect import Dialect, WritesInstances
from sayso.core.grant import GrantOffer
from sayso.core.lazy import load
from sayso.core.proposal import Proposal
from sayso.core.quotes import quoted, visible
from sayso.dialects.detect import CHAT
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.editor import Cancelled, Edited, Editing
from sayso.surfaces.cli.preview import TickedRows, list_headlines, listing, page, whole
from sayso.surfaces.cli.progress import StopSignals, stopping
from sayso.surfaces.cli.run_loop import YesAlways
from sayso.surfaces.cli.terminal import PromptTerminal, QuestionUnanswered, Terminal
from sayso.surfaces.cli.text import BAR, Block, Style, sentence, style_at


class BatchKey(Enum):
    """A command of the person that concerns the whole list."""

    EXECUTE = "execute"
    ALWAYS = "always"
    EDIT = "edit"
    CANCEL = "cancel"
    HELP = "help"
    LIST = "list"
    VIEW = "view"
    """Show all cards in full."""
    ALL = "all"
    NONE = "none"


class ToggleNumbers(Struct, frozen=True):
    """Leave out these numbers, or include them again."""

    numbers: frozenset[int]


class ShowNumbers(Struct, frozen=True):
    """Show the cards with these numbers in full."""

    numbers: frozenset[int]


class UnclearChoice(Struct, frozen=True):
    """Input that could not be understood, with the reason."""

    why: str


class NoBecause(Struct, frozen=True):
    """A no with a reason; the reason is asked for if it is empty."""

    reason: str


Choice = BatchKey | ToggleNumbers | ShowNumbers | NoBecause | UnclearChoice

_WORDS = {
    "y": BatchKey.EXECUTE, "yes": BatchKey.EXECUTE, "execute": BatchKey.EXECUTE,
    "a": BatchKey.ALWAYS, "always": BatchKey.ALWAYS,
    "e": BatchKey.EDIT, "edit": BatchKey.EDIT,
    "": BatchKey.CANCEL, "n": BatchKey.CANCEL, "no": BatchKey.CANCEL, "c": BatchKey.CANCEL, "cancel": BatchKey.CANCEL,
    "?": BatchKey.HELP, "h": BatchKey.HELP, "help": BatchKey.HELP,
    "l": BatchKey.LIST, "list": BatchKey.LIST,
    "v": BatchKey.VIEW, "view": BatchKey.VIEW, "m": BatchKey.VIEW, "more": BatchKey.VIEW,
    "all": BatchKey.ALL, "none": BatchKey.NONE,
}  # fmt: skip
_BECAUSE = re.compile(r"(?:no|n)\b[\s,:;.–—-]*(because\b[\s,:]*)?", re.IGNORECASE)
_MORE = re.compile(r"(?:m|more|\?|v|view)\s*(?=[0-9])")
_RANGE = re.compile(r"([0-9]{1,9})(?:\s*(?:-|–|\.\.)\s*([0-9]{1,9}))?")
_BOTH = 2
_BETWEEN = re.compile(r"[\s,]+")
_SHOWN = 20
"""Maximum number of input characters that an error message repeats."""


def choice(typed: str | None, numbers: Collection[int]) -> Choice:
    """Return the choice that the input expresses; `numbers` are the valid card numbers. End of input (None) cancels."""
    if typed is None:
        return BatchKey.CANCEL
    text = typed.strip(" \t\r\n").lower()
    if text in _WORDS:
        return _WORDS[text]
    no = _BECAUSE.match(typed.strip())
    if no is not None and (no[1] or no.end() < len(typed.strip())):
        return NoBecause(typed.strip()[no.end() :])
    more = _MORE.match(text)
    found = _numbers(text[more.end() :] if more else text, numbers)
    if isinstance(found, UnclearChoice):
        return found
    return ShowNumbers(found) if more else ToggleNumbers(found)


def _numbers(text: str, numbers: Collection[int]) -> frozenset[int] | UnclearChoice:
    text = re.sub(r" ?(-|–|\.\.) ?", r"\1", " ".join(text.split()))
    found: set[int] = set()
    for part in _BETWEEN.split(text.strip(" ,")):
        match = _RANGE.fullmatch(part)
        if match is None:
            return UnclearChoice(f"{quoted(text[:_SHOWN])} is no choice here")
        first, last = int(match[1]), int(match[2] or match[1])
        here = {number for number in numbers if first <= number <= last}
        if not here:
            return UnclearChoice(f"there is no {part[:_SHOWN]} in the list")
        found |= here
    return frozenset(found)


_FEW_LOST = 12
"""Maximum number of losses that the second question lists; for more, it adds only their count."""


class DialogAnswer(Struct, frozen=True):
    """How a question ended: executed once, executed and always allowed, cancelled, or edited."""

    how: BatchKey
    ids: tuple[str, ...] = ()
    """The ids of the actions that the yes includes. An action among them that needs a left-out one is skipped."""
    proposals: tuple[Proposal, ...] = ()
    """The edited proposals, which start a new run."""
    because: str = ""
    """The reason that the person gave for a no."""


def is_about_apps(question: Question) -> bool:
    """Say whether every card that asks does so because its application is not in the allowlist."""
    return bool(question.asking) and all(card.verdict.rule == "allowed_apps" for card in question.asking)


class ActionDialog:
    """The question about one action; unclear input counts as a no."""

    def __init__(
        self, question: Question, talk: PromptTerminal, editing: Editing | None, *, permits: bool = False
    ) -> None:
        self.question = question
        self.talk = talk
        self.editing = editing
        self.permits = permits and all(_could_be_permitted(card) for card in question.asking)
        """Whether a yes may come with a standing permission for what is alike."""
        self.ticks = TickedRows.of(question, ())
        self.seen: set[int] = set()
        self.left_out = 0

    def answer(self, *, edit_first: bool) -> DialogAnswer:
        """Show the action, ask, and return the answer."""
        self.talk.say(self.head())
        edited = self.edit() if edit_first else None
        if edited is not None:
            return edited
        self.show_list()
        return self.ask()

    def ask(self) -> DialogAnswer:
        """Ask without showing the action again, and return the answer."""
        while True:
            answer = self.turn(choice(self.talk.line(self.prompt()), self.numbers()))
            if answer is not None:
                return answer

    def head(self) -> str:
        """Return the introductory sentence of the question."""
        return "sayso asks before this is done."

    def show_list(self) -> None:
        """Show the preview of the action."""
        shown = page(self.question, self.talk.width, self.talk.style, whole=False)
        self.left_out = shown.left_out
        indices = frozenset(card.index for card in self.question.cards) if not shown.left_out else frozenset[int]()
        self.talk.gap()
        self.seen |= self.talk.show([Block(tuple(shown.lines[1:]), indices)])
        self.talk.gap()
        self.talk.say_keys(self.keys())

    def keys(self) -> list[str]:
        """Return what may be typed, each with what it does."""
        always = ["a yes, and not ask again for such"] * self.permits
        edit = [] if self.editing is None else ["e edit"]
        return ["y yes", "Enter no", "“no, because …”", *edit, *always, "? help"]

    def prompt(self) -> str:
        """Return the prompt at which the person types."""
        view = "" if not self.unseen() else self._view()
        return f"Do this? {self.choices()}{view}"

    def _view(self) -> str:
        return f" (v shows the {self.left_out:,} characters left out; y counts after that)"

    def choices(self) -> str:
        """Return the short list of accepted keys."""
        return "[y]es once / [a]lways / [N]o" if is_about_apps(self.question) else "[y/N]"

    def numbers(self) -> tuple[int, ...]:
        """Return the card numbers that may be typed."""
        return ()

    def unseen(self) -> list[int]:
        """Return the numbers of included cards that were not yet shown in full."""
        return [card.index + 1 for card in self.ticks.going(self.question) if card.index not in self.seen]

    def turn(self, said: Choice) -> DialogAnswer | None:
        """Handle one choice; return None if the question continues."""
        match said:
            case NoBecause(reason):
                return self.cancel(reason or self._reason())
            case BatchKey.EXECUTE | BatchKey.ALWAYS if said is BatchKey.EXECUTE or self.may_always():
                return self.execute(said)
            case BatchKey.EDIT if self.editing is not None:
                return self.edit() or self.show_list()
            case BatchKey.HELP:
                edits = "" if self.editing is None else ", e edits it"
                self.talk.say(f"y does it{edits}, v shows all of it; Enter or anything else is a no.")
                if self.permits:
                    self.talk.say("a shows what you would not be asked about again, and asks before that counts.")
                self.talk.say("“no, because …” is a no; your words are told to whoever proposed it.")
                return self.explain_marks()
            case BatchKey.VIEW:
                return self.view({card.index for card in self.question.cards})
            case _:
                return self.cancel()

    def may_always(self) -> bool:
        """Say whether “always” is offered: for applications, or as a standing permission."""
        return self.permits or is_about_apps(self.question)

    def explain_marks(self) -> None:
        """Explain how to distinguish sayso's own lines from quoted text."""
        self.talk.say(
            f"What stands behind {BAR}is only shown; sayso's own question begins with {quoted(self.talk.word)}."
        )

    def view(self, indices: set[int]) -> None:
        """Show these cards in full."""
        blocks = whole(self.question, indices, self.ticks, self.talk.width, self.talk.style)
        self.talk.gap()
        self.seen |= self.talk.show(blocks)
        self.talk.gap()

    def execute(self, how: BatchKey) -> DialogAnswer | None:
        """Return the answer; None, with a hint, if a card was not shown in full yet."""
        if self.unseen():
            self.talk.say("there is more to see first; v shows all of it")
            return None
        if not self.sure():
            return self.cancel()
        self.talk.gap()
        return DialogAnswer(how, tuple(card.id for card in self.ticks.kept(self.question)))

    def sure(self) -> bool:
        """Ask again about destructive actions, if the settings require it (S2-49); return whether to proceed."""
        twice = [card for card in self.ticks.going(self.question) if card.id in self.question.twice]
        if not twice:
            return True
        lost = [visible("; ".join(card.plan.loses) or card.plan.summary) for card in twice[:_FEW_LOST]]
        self.talk.quote(line for one in lost for line in sentence(one, self.talk.width, "", "  "))
        if len(twice) > _FEW_LOST:
            self.talk.say(f"and {len(twice) - _FEW_LOST:,} more")
        what = "this" if len(twice) == 1 else f"these {len(twice):,}"
        return choice(self.talk.line(f"Really take {what} away? [y/N]"), ()) is BatchKey.EXECUTE

    def cancel(self, because: str = "") -> DialogAnswer:
        """Say that it was a no, and return it; whether it came first is not known yet."""
        told = ", and your reason goes to whoever proposed it" if because else ""
        self.talk.say(f"you said no{told}")
        return DialogAnswer(BatchKey.CANCEL, because=because)

    def _reason(self) -> str:
        return (self.talk.line("Why not? (told in your words; Enter says nothing)") or "").strip()

    def edit(self) -> DialogAnswer | None:
        """Let the person edit the actions that a yes would carry out; None if no edit resulted."""
        if self.editing is None:
            return None
        ended = self.editing.edit(self.question, self.ticks, self.talk)
        match ended:
            case Edited(proposals):
                self.talk.gap()
                return DialogAnswer(BatchKey.EDIT, proposals=proposals)
            case Cancelled():
                return self.cancel()
            case _:
                return None


_FEW = 12
"""Maximum number of changed entries that are shown again; for more, only the summary is shown."""


class BatchDialog(ActionDialog):
    """The question about several actions, which are decided together; after unclear input, it is asked again."""

    def head(self) -> str:
        """Return the introductory sentence of the question."""
        count, asking = len(self.question.cards), len(self.question.asking)
        what = f"sayso asks before these {count:,} actions are done"
        if self.question.edited:
            return f"{what}, as you edited them; nothing is approved by editing."
        needs = "1 of them needs your yes" if asking == 1 else f"{asking:,} of them need your yes"
        return f"{what}, all together{'' if asking == count else f'; {needs}'}."

    def show_list(self) -> None:
        """Show the list and the accepted keys."""
        keys = self.keys()
        blocks = listing(self.question, self.ticks, self.talk.width, self.talk.style)
        self.talk.gap()
        self.seen |= self.talk.show(blocks, len(self.talk.wrap(self.head())) + 1, len(self.talk.wrap_keys(keys)))
        self.talk.gap()
        self.talk.say_keys(keys)

    def keys(self) -> list[str]:
        """Return what may be typed, each with what it does."""
        always = ["a yes, and not ask again for such"] * self.permits
        edit = [] if self.editing is None else ["e edit"]
        return ["y yes", "Enter no to all", "“no, because …”", "2 or 2-4 leaves out", *edit, *always, "? help"]

    def prompt(self) -> str:
        """Return the prompt at which the person types."""
        count, going = len(self.question.cards), len(self.ticks.going(self.question))
        if not going:
            return "Nothing is left to execute; Enter cancels [N]"
        what = ("both" if count == _BOTH else f"all {count:,}") if going == count else f"{going:,} of {count:,}"
        unseen = self.unseen()
        view = f" (m {ranges(unseen)[:40]} or v shows what is left out; y counts after that)" if unseen else ""
        return f"Execute {what}? {self.choices()}{view}"

    def numbers(self) -> tuple[int, ...]:
        """Return the card numbers that may be typed."""
        return tuple(card.index + 1 for card in self.question.cards)

    def turn(self, said: Choice) -> DialogAnswer | None:
        """Handle one choice; return None if the question continues."""
        match said:
            case ToggleNumbers() | BatchKey.ALL | BatchKey.NONE:
                return self._leave_out(self._out_after(said))
            case ShowNumbers(numbers):
                return self.view({number - 1 for number in numbers})
            case BatchKey.LIST:
                return self.show_list()
            case BatchKey.HELP:
                return self._help()
            case UnclearChoice(why):
                return self._unclear(why)
            case BatchKey.ALWAYS if not self.may_always():
                return self._unclear("“a” is no choice here")
            case BatchKey.EDIT if self.editing is None:
                return self._unclear("this cannot be edited here")
            case _:
                return super().turn(said)

    def _unclear(self, why: str) -> None:
        self.talk.say(f"{visible(why)}; ? tells what there is, Enter cancels")

    def execute(self, how: BatchKey) -> DialogAnswer | None:
        """Return the answer; None if no action is left, or a card was not shown in full yet."""
        if not self.ticks.going(self.question):
            return self.talk.say("nothing is left to execute; Enter cancels, all takes everything in again")
        return super().execute(how)

    def _out_after(self, said: ToggleNumbers | BatchKey) -> set[int]:
        """Return the left-out indices after this choice; if all typed numbers are left out, they are included again."""
        if not isinstance(said, ToggleNumbers):
            return set() if said is BatchKey.ALL else {card.index for card in self.question.cards}
        indices, out = {number - 1 for number in said.numbers}, set(self.ticks.left_out)
        return out - self._with_what_they_need(indices) if indices <= self._not_going() else out | indices

    def _not_going(self) -> set[int]:
        return {*self.ticks.left_out, *self.ticks.lacking}

    def _with_what_they_need(self, indices: set[int]) -> set[int]:
        """Return these indices and those of all cards that they need, directly or indirectly."""
        needs = {card.index: card.needs for card in self.question.cards}
        found: set[int] = set()
        more = set(indices)
        while more:
            found |= more
            more = {need for index in more for need in needs.get(index, ())} - found
        return found

    def _leave_out(self, out: set[int]) -> None:
        before = {card.index: self.ticks.mark(card.index) for card in self.question.cards}
        self.ticks = TickedRows.of(self.question, out)
        moved = {index for index, mark in before.items() if self.ticks.mark(index) != mark}
        if len(moved) <= _FEW:
            self.talk.show(list_headlines(self.question, moved, self.ticks, self.talk.width, self.talk.style))
        self.talk.say(self._describe_moved(moved))

    def _describe_moved(self, moved: set[int]) -> str:
        if not moved:
            return "nothing has changed"
        out = [index + 1 for index in sorted(moved) if self.ticks.mark(index) == " "]
        lacking = [index for index in sorted(moved) if self.ticks.mark(index) == "-"]
        taken_in = [index + 1 for index in sorted(moved) if self.ticks.mark(index) == "x"]
        said = [f"{ranges(out)} left out"] if out else []
        if lacking:
            needed = sorted({self.ticks.lacking[index] + 1 for index in lacking})
            numbers = ranges([index + 1 for index in lacking])
            said.append(f"without {ranges(needed)}, {numbers} cannot happen")
        if taken_in:
            said.append(f"{ranges(taken_in)} taken in again")
        edit = " (e plans the rest anew without it)" if lacking and self.editing is not None else ""
        return "; ".join(said) + edit

    def _help(self) -> None:
        for line in (
            "y executes what is ticked [x], in this order; Enter, n or Ctrl-C cancels all of it.",
            *(() if self.editing is None else ("e opens your editor: what you save is checked and shown here again.",)),
            "3, 2-4 or 2,5 leaves these out, or takes them in again; none and all do that with everything.",
            "m 3 shows all of 3, v shows all of everything, l shows the list again.",
            *(("a shows what you would not be asked about again, and asks before that counts.",) * self.permits),
            "“no, because …” cancels all of it; your words are told to whoever proposed it.",
        ):
            self.talk.say(line)
        self.explain_marks()


BY = "terminal"


class TerminalApprover(Struct, frozen=True):
    """Asks the person at the terminal; each of sayso's own prompts of one question begins with a word of its own."""

    terminal: Terminal
    draw: Callable[[], str]
    """Returns a new word, which nobody can guess."""
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C or the process is told to end."""
    ended: Callable[[], bool]
    """Says whether the process was told to end; from then on questions stay unanswered and the actions wait."""
    editing: Editing | None = None
    """How actions can be edited; None if they cannot."""
    edit_first: bool = False
    """Whether the editor opens before the first preview."""
    permit: Callable[[PromptTerminal, Sequence[str]], Awaitable[tuple[GrantOffer, ...]]] | None = None
    """Shows the standing permissions that could come of these actions, and returns those that the person gives."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; None if no person can answer at the terminal now, or if the process was told to end."""
        with self.terminal.alone:
            if self.terminal.wrong or self.ended():
                return None
            try:
                return await self._answer(question)
            except QuestionUnanswered:
                return None

    async def _answer(self, question: Question) -> Decision:
        talk = PromptTerminal(self.terminal, self.draw(), self.style, self.interrupted, self.ended)
        kind = BatchDialog if len(question.cards) > 1 else ActionDialog
        dialog = kind(question, talk, self.editing, permits=self.permit is not None)
        answer = dialog.answer(edit_first=self.edit_first and not question.edited)
        while answer.how is BatchKey.ALWAYS and self.permit is not None and not is_about_apps(question):
            given = await self.permit(talk, answer.ids)
            if given:
                return replace(_decision(question, replace(answer, how=BatchKey.EXECUTE)), permits=given)
            answer = dialog.ask()
        return _decision(question, answer)


def _could_be_permitted(card: Card) -> bool:
    return card.verdict.ruling == "ask" and card.verdict.level == "mode" and card.verdict.rule != "allowed_apps"


def _decision(question: Question, answer: DialogAnswer) -> Decision:
    if answer.how is BatchKey.EDIT:
        return question.edit(BY, answer.proposals)
    if answer.how is BatchKey.CANCEL:
        return question.no(BY, answer.because)
    ids = None if len(answer.ids) == len(question.cards) else answer.ids
    yes = question.yes(BY, ids)
    return YesAlways(yes.yes, yes.by, yes.digest, yes.ticked) if answer.how is BatchKey.ALWAYS else yes


def word_from(token: str) -> str:
    """Return a short pronounceable word, derived from a token that nobody can guess."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    letters = [ord(letter) for letter in token]
    return "".join(consonants[a % 14] + vowels[b % 5] for a, b in zip(letters[:6:2], letters[1:6:2], strict=True))


@contextmanager
def talking(here: CommandContext, terminal: Terminal) -> Generator[PromptTerminal]:
    """Talk to the person at this terminal; a word that nobody can guess stands before each prompt."""
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:
        word, style = word_from(RandomIds().token()), style_at(here.environ)
        yield PromptTerminal(terminal, word, style, stop.descriptor, lambda: False)


def dialect_of(question: Question) -> Dialect:
    """Return the dialect of the question's run, or the chat dialect if the run mixes blocks and own actions."""
    own = {card.template_id is not None for card in question.cards}
    written = dialect(question.dialect)
    return CHAT if written.in_chat and own != {isinstance(written, WritesInstances)} else written


def person(
    here: CommandContext, home: Home, terminal: Terminal, stop: StopSignals, *, edit_first: bool
) -> TerminalApprover:
    """Return the approver that asks the person at this terminal."""
    ids = RandomIds()
    editing = Editing(
        operations=home.operations,
        dialect=dialect_of,
        scratch=home.settings.places.scratch,
        environ=here.environ,
        most=home.settings.policy.limits.reply_bytes,
        token=ids.token,
        deaf=stop.deaf,
    )
    style = style_at(here.environ)

    async def permit(talk: PromptTerminal, refs: Sequence[str]) -> tuple[GrantOffer, ...]:
        show = load("sayso.surfaces.cli.commands.grants:permit")
        return await show(home, talk, refs)

    def draw() -> str:
        return word_from(ids.token())

    return TerminalApprover(terminal, draw, style, stop.descriptor, stop.ended, editing, edit_first, permit)

"""Lead the person through a question about one action, to a yes, a no or an edit."""

from sayso.core.proposal import Proposal
from sayso.core.values import dataclass
from sayso.core.verdict import Question
from sayso.surfaces.cli.card import page
from sayso.surfaces.cli.choosing import Choice, Wish, choice
from sayso.surfaces.cli.editing import Cancelled, Edited, Editing
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.preview import Block, Ticks, whole
from sayso.surfaces.cli.talking import Talk

_FEW_LOST = 12
"""So many of those that would be taken away are named once more; of more only the count is said."""


@dataclass(frozen=True)
class Answer:
    """How a question ended: executed (always or once), cancelled or edited."""

    how: Wish
    ids: tuple[str, ...] = ()
    """What a yes is for; what of it cannot happen without what was left out is skipped, and says so."""
    proposals: tuple[Proposal, ...] = ()
    """What is to be taken down the path instead."""


def is_about_apps(question: Question) -> bool:
    """Say whether everything that asks does so because an application is not listed."""
    return bool(question.asking) and all(card.verdict.rule == "allowed_apps" for card in question.asking)


class Dialog:
    """One action: what is not understood is a no."""

    def __init__(self, question: Question, talk: Talk, editing: Editing | None) -> None:
        self.question = question
        self.talk = talk
        self.editing = editing
        self.ticks = Ticks.of(question, ())
        self.seen: set[int] = set()
        self.left_out = 0

    def answer(self, *, edit_first: bool) -> Answer:
        """Show it, ask, and return how it ended."""
        self.talk.say(self.head())
        edited = self.edit() if edit_first else None
        if edited is not None:
            return edited
        self.show_list()
        while True:
            answer = self.turn(choice(self.talk.line(self.prompt()), self.numbers()))
            if answer is not None:
                return answer

    def head(self) -> str:
        """Say what the question is, and which lines are sayso's own."""
        whose = f"Only lines that begin with “{self.talk.word}” are sayso's own question."
        edits = "" if self.editing is None else "; e edits it"
        return f"sayso asks before this is done{edits}. {whose}"

    def show_list(self) -> None:
        """Show what the question is about."""
        shown = page(self.question, self.talk.terminal.width, self.talk.style, whole=False)
        self.left_out = shown.left_out
        indices = frozenset(card.index for card in self.question.cards) if not shown.left_out else frozenset[int]()
        self.seen |= self.talk.show([Block((*shown.lines, ""), indices)])

    def prompt(self) -> str:
        """Return the words before what is typed."""
        view = "" if not self.unseen() else self._view()
        return f"Do this? {self.choices()}{view}"

    def _view(self) -> str:
        return f" (v shows the {self.left_out:,} characters left out; y counts after that)"

    def choices(self) -> str:
        """Return what may be typed, in short."""
        return "[y]es once / [a]lways / [N]o" if is_about_apps(self.question) else "[y/N]"

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers that may be typed."""
        return ()

    def unseen(self) -> list[int]:
        """Return the numbers of what a yes would be for and was not seen whole."""
        return [card.index + 1 for card in self.ticks.going(self.question) if card.index not in self.seen]

    def turn(self, said: Choice) -> Answer | None:
        """Take one line; None when the question goes on."""
        match said:
            case Wish.EXECUTE | Wish.ALWAYS if said is Wish.EXECUTE or is_about_apps(self.question):
                return self.execute(said)
            case Wish.EDIT if self.editing is not None:
                return self.edit() or self.show_list()
            case Wish.HELP:
                edits = "" if self.editing is None else ", e edits it"
                return self.talk.say(f"y does it{edits}, v shows all of it; Enter or anything else is a no")
            case Wish.VIEW:
                return self.view({card.index for card in self.question.cards})
            case _:
                return self.cancel()

    def view(self, indices: set[int]) -> None:
        """Show these cards whole."""
        terminal = self.talk.terminal
        blocks = whole(self.question, indices, self.ticks, terminal.width, self.talk.style)
        self.seen |= self.talk.show([*blocks, Block(("",))])

    def execute(self, how: Wish) -> Answer | None:
        """Return the yes, if everything it is for was seen."""
        if self.unseen():
            self.talk.say("there is more to see first; v shows all of it")
            return None
        if not self.sure():
            return self.cancel()
        self.talk.gap()
        return Answer(how, tuple(card.id for card in self.ticks.kept(self.question)))

    def sure(self) -> bool:
        """Ask a second time about what is destructive, where the person wants that (S2-49); say whether it is a yes."""
        twice = [card for card in self.ticks.going(self.question) if card.id in self.question.twice]
        if not twice:
            return True
        for card in twice[:_FEW_LOST]:
            self.talk.say(visible("; ".join(card.plan.loses) or card.plan.summary))
        if len(twice) > _FEW_LOST:
            self.talk.say(f"and {len(twice) - _FEW_LOST:,} more")
        what = "this" if len(twice) == 1 else f"these {len(twice):,}"
        return choice(self.talk.line(f"Really take {what} away? [y/N]"), ()) is Wish.EXECUTE

    def cancel(self) -> Answer:
        """Return the no."""
        self.talk.say("no; nothing is done")
        return Answer(Wish.CANCEL)

    def edit(self) -> Answer | None:
        """Let the person edit what a yes would be for; None when nothing came of it."""
        if self.editing is None:
            return None
        ended = self.editing.edit(self.question, self.ticks, self.talk)
        match ended:
            case Edited(proposals):
                self.talk.gap()
                return Answer(Wish.EDIT, proposals=proposals)
            case Cancelled():
                return self.cancel()
            case _:
                return None

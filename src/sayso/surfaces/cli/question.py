"""Ask one question on the terminal and take nothing for a yes but a yes typed after it was shown."""

from collections.abc import Callable

from sayso.core.values import dataclass
from sayso.core.verdict import Decision, Question
from sayso.surfaces.cli.approving import YesAlways
from sayso.surfaces.cli.batch import BatchDialog
from sayso.surfaces.cli.choosing import Wish
from sayso.surfaces.cli.dialog import Answer, Dialog
from sayso.surfaces.cli.editing import Editing
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.talking import Talk, Unanswered
from sayso.surfaces.cli.terminal import Terminal

BY = "terminal"


@dataclass(frozen=True)
class OnTerminal:
    """Asks the person at the terminal; `word` marks which lines are sayso's own in this run."""

    terminal: Terminal
    word: str
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C, or the process is to end."""
    ended: Callable[[], bool]
    """Says whether the process is to end: then nobody answers any more, and what is asked waits."""
    editing: Editing | None = None
    """How what is asked may be edited; None where it may not."""
    edit_first: bool = False
    """Whether the editor comes before the first preview."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; None when the terminal is none that a person types at now, or the process is to end."""
        with self.terminal.alone:
            if self.terminal.wrong or self.ended():
                return None
            try:
                return _decision(question, self._answer(question))
            except Unanswered:
                return None

    def _answer(self, question: Question) -> Answer:
        talk = Talk(self.terminal, self.word, self.style, self.interrupted, self.ended)
        dialog = BatchDialog if len(question.cards) > 1 else Dialog
        return dialog(question, talk, self.editing).answer(edit_first=self.edit_first and not question.edited)


def _decision(question: Question, answer: Answer) -> Decision:
    if answer.how is Wish.EDIT:
        return question.edit(BY, answer.proposals)
    if answer.how is Wish.CANCEL:
        return question.no(BY)
    ids = None if len(answer.ids) == len(question.cards) else answer.ids
    yes = question.yes(BY, ids)
    return YesAlways(yes.yes, yes.by, yes.digest, yes.ticked) if answer.how is Wish.ALWAYS else yes


def word_from(token: str) -> str:
    """Return a short word that can be said, made from a token that nobody can guess."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    letters = [ord(letter) for letter in token]
    return "".join(consonants[a % 14] + vowels[b % 5] for a, b in zip(letters[:6:2], letters[1:6:2], strict=True))

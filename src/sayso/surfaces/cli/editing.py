"""Let the person edit what is asked, as text in the run's own dialect; nothing is approved by that (T-37)."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from sayso.core.canonical import canonical
from sayso.core.dialect import Dialect
from sayso.core.errors import ProposalError, SetupError
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.core.values import dataclass
from sayso.core.verdict import Card, Question
from sayso.dialects.reading import Reading, read
from sayso.dialects.told import told
from sayso.surfaces.cli.editor import Editor, find_editor, private_file, put, read_back, run
from sayso.surfaces.cli.escape import is_unseen, visible
from sayso.surfaces.cli.preview import Ticks
from sayso.surfaces.cli.talking import Talk

HEAD = """\
What is to be done, in this order: change it, take some of it out, add to it.
Nothing is done by saving. What you save is checked and shown to you again,
and you are asked about it as new. {unchanged}
With nothing left in it, all of it is cancelled.
"""
_NOTHING = "Unchanged, it is as if you had not edited."
_ANEW = "Unchanged, it is planned anew\nwithout what you left out."
AGAIN = frozenset({"e", "edit", "y", "yes"})
_MOST_PROBLEMS = 10


@dataclass(frozen=True)
class Edited:
    """These are to be taken down the path instead."""

    proposals: tuple[Proposal, ...]


@dataclass(frozen=True)
class Cancelled:
    """The person took everything out."""


@dataclass(frozen=True)
class Kept:
    """Nothing came of it; the question stands as it was."""


Ended = Edited | Cancelled | Kept


@dataclass(frozen=True)
class Opened:
    """What the editor is opened on, and what must be said beside it because the dialect has no place for it."""

    text: str
    beside: tuple[str, ...]


@dataclass(frozen=True)
class Editing:
    """What is needed to edit: the catalogue, a dialect to write and read with, and a place for the file."""

    operations: Mapping[str, Operation]
    dialect: Callable[[Question], Dialect]
    """Returns the dialect that what is asked is written in, and read back in."""
    scratch: Path
    environ: Mapping[str, str]
    most: int
    """Bytes of a text that may be read at once."""
    token: Callable[[], str]
    deaf: Callable[[], AbstractContextManager[None]]
    """While this lasts, Ctrl-C is not for sayso."""

    def edit(self, question: Question, ticks: Ticks, talk: Talk) -> Ended:
        """Open the editor until what was saved can be read, or the person gives up."""
        try:
            opened, editor = self.opened(question, ticks), find_editor(self.environ)
        except (ProposalError, SetupError) as cannot:
            talk.say(f"{visible(str(cannot))}; nothing was edited")
            return Kept()
        if editor.note:
            talk.say(editor.note)
        for remark in opened.beside:
            talk.say(" ".join(remark.split()))
        with private_file(self.scratch, f"edit-{self.token()}") as file:
            put(file, opened.text)
            ended: Ended | None = None
            while ended is None:
                saved = self._saved(file, editor, talk)
                ended = Kept() if saved is None else self._understood(saved, question, ticks, talk)
            return ended

    def _saved(self, file: Path, editor: Editor, talk: Talk) -> str | None:
        """Return what the person saved; None, and a word about it, where that cannot be taken."""
        try:
            code = run(editor, file, talk.terminal.descriptor, self.environ, self.deaf)
            if code == 0:
                return read_back(file, self.most)
            why = _ended(editor, code)
        except (SetupError, OSError) as wrong:
            why = visible(str(wrong))
        talk.say(f"{why}; nothing was edited")
        return None

    def _understood(self, saved: str, question: Question, ticks: Ticks, talk: Talk) -> Ended | None:
        """Return what was meant; None when the person wants to edit what cannot be read."""
        reading = read(self.dialect(question), self.operations, saved)
        if not ticks.lacking and same(reading.proposals, ticks.kept(question)):
            talk.say("nothing was changed")
            return Kept()
        if not reading.proposals:
            talk.say("no command is left")
            return Cancelled()
        wrong = _wrong(reading)
        if not wrong:
            return Edited(reading.proposals)
        for sentence in wrong[:_MOST_PROBLEMS]:
            talk.say(sentence)
        if len(wrong) > _MOST_PROBLEMS:
            talk.say(f"and {len(wrong) - _MOST_PROBLEMS:,} more that cannot be read")
        line = talk.line("Edit again? [e/N] (Enter drops the edit)")
        if (line or "").strip().lower() in AGAIN:
            return None
        talk.say("the edit is dropped")
        return Kept()

    def opened(self, question: Question, ticks: Ticks) -> Opened:
        """Return what is edited: each action as the dialect writes it, those left out as a remark.

        What only lacks one of those is written too: without it, it may be planned in another way. Raises
        `ProposalError` when the text would not read back as exactly that.
        """
        dialect = self.dialect(question)
        head = HEAD.format(unchanged=_ANEW if ticks.lacking else _NOTHING)
        parts, beside = [dialect.remark(head)], [head]
        for card in question.cards:
            if card.index in ticks.left_out:
                parts.append(dialect.remark(self._left_out(card, dialect)))
                continue
            written = self._written(card, dialect)
            look = _look(written)
            parts += [dialect.remark(look) if look else "", written]
            beside += [look] if look else []
        text = dialect.together([part for part in parts if part])
        if not same(read(dialect, self.operations, text).proposals, ticks.kept(question)):
            raise ProposalError("these actions cannot be written so that they read back the same", "dialect.unsayable")
        return Opened(text, () if parts[0] else tuple(beside))

    def _left_out(self, card: Card, dialect: Dialect) -> str:
        try:
            return f"left out:\n{self._written(card, dialect)}"
        except ProposalError:
            return f"left out: {visible(card.plan.summary)}"

    def _written(self, card: Card, dialect: Dialect) -> str:
        operation = self.operations.get(card.operation)
        if operation is None:
            raise ProposalError(f"nothing here knows “{card.operation}” any more", "operation.unknown")
        return told(dialect, operation, card.arguments, card.template_id)


def _wrong(reading: Reading) -> list[str]:
    """Return why what was saved cannot be taken, a sentence for each reason."""
    asks = (
        ["“needs_clarification” is true there, so nothing of it would be done"] if reading.needs_clarification else []
    )
    return asks + [
        (f"line {one.line}: " if one.line else "") + visible(one.problem) for one in reading.proposals if one.problem
    ]


def _look(written: str) -> str:
    """Say which characters of a command may not show in an editor; nothing where there are none."""
    unseen = sorted({letter for letter in written if letter not in "\n\t" and is_unseen(letter)})
    return f"look: the next command holds {', '.join(map(visible, unseen))}, which may not show" if unseen else ""


def same(proposals: tuple[Proposal, ...], cards: tuple[Card, ...]) -> bool:
    """Say whether these proposals are exactly what the cards are about."""
    wanted = [(card.operation, card.template_id, canonical(dict(card.arguments))) for card in cards]
    return wanted == [
        (one.operation, one.template_id, canonical(dict(one.arguments))) if one.problem is None else None
        for one in proposals
    ]


def _ended(editor: Editor, code: int) -> str:
    name = visible(Path(editor.argv[0]).name)
    return f"“{name}” was ended by signal {-code}" if code < 0 else f"“{name}” ended with code {code}"

"""Edit a batch of proposals in the person's own editor, as text that gives no editor orders."""

import fcntl
import os
import re
import shlex
import shutil
import stat
import termios
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from sayso.core.decision import Card, Question
from sayso.core.dialect import Dialect
from sayso.core.encoding import canonical
from sayso.core.errors import ProposalError, SetupError
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.core.quotes import is_unseen, quoted, visible
from sayso.dialects.base import Reading, read, write_proposal
from sayso.surfaces.cli.preview import TickedRows
from sayso.surfaces.cli.terminal import PromptTerminal
from sayso.surfaces.cli.text import sentence

USUAL = ("nano", "vi")
"""Editors that are tried, in this order, if neither VISUAL nor EDITOR names one."""


class Editor(Struct, frozen=True):
    """The command line that starts an editor, and a note to the person about the choice."""

    argv: tuple[str, ...]
    note: str = ""


def find_editor(environ: Mapping[str, str]) -> Editor:
    """Return the editor that `VISUAL` or `EDITOR` names, or one of `USUAL`. Raises `SetupError` if there is none."""
    path = environ.get("PATH", os.defpath)
    for name in ("VISUAL", "EDITOR"):
        said = environ.get(name, "").strip()
        if said:
            return Editor(_find_editor(_words(name, said), name, path))
    for usual in USUAL:
        found = shutil.which(usual, path=path)
        if found is not None:
            return Editor((found,), f"neither VISUAL nor EDITOR names an editor, so {quoted(usual)} is opened")
    raise SetupError(
        "there is no editor to open: name one in EDITOR, such as export EDITOR=nano; numbers leave lines out too",
        "editor.none",
    )


def _words(name: str, said: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(said))
    except ValueError:
        raise SetupError(
            f"{name} is {quoted(said)}, in which a quote is not closed; mend it and try again", "editor.none"
        ) from None


def _find_editor(words: tuple[str, ...], name: str, path: str) -> tuple[str, ...]:
    found = shutil.which(words[0], path=path) if words else None
    if found is None:
        raise SetupError(
            f"{name} names {quoted(words[0] if words else '')}, which is not there; name another editor", "editor.none"
        )
    return (found, *words[1:])


@contextmanager
def private_file(folder: Path, name: str) -> Generator[Path]:
    """Yield the path of a file in a new folder that only this user can read; the folder is removed afterwards.

    Folders left behind by processes that were killed are removed first.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sweep(folder, name.partition("-")[0])
    own = folder / name
    own.mkdir(mode=0o700)  # editors write copies beside the file, which are removed with the folder
    held = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield own / "actions.txt"
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(held)


def _sweep(folder: Path, kind: str) -> None:
    for left in folder.glob(f"{kind}-*"):
        with suppress(OSError):
            held = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(held)


def write_private(file: Path, text: str) -> None:
    """Write the file, with mode 0600 from its creation."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def read_back(file: Path, most: int) -> str:
    """Return the text of the saved file. Raises `SetupError` if it is no regular file, too long, or not UTF-8."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as wrong:
        raise SetupError(f"the file cannot be read again ({wrong.strerror})", "editor.file") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SetupError("what was saved is no file", "editor.file")
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(most + 1)
    if len(data) > most:
        raise SetupError(f"the text is longer than {most:,} bytes, the most that is read at once", "editor.file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise SetupError(f"line {line} is not UTF-8 text", "editor.file") from None


def run(
    editor: Editor,
    file: Path,
    terminal: int,
    environ: Mapping[str, str],
    deaf: Callable[[], AbstractContextManager[None]],
) -> int:
    """Run the editor on the terminal until it ends; return its exit code, negative for a signal.

    Ctrl-C goes to the editor alone. The terminal's settings are restored afterwards, however the editor ended.
    """
    before = termios.tcgetattr(terminal)
    try:
        with deaf():
            streams = [(os.POSIX_SPAWN_DUP2, terminal, number) for number in range(3)]
            program = os.posix_spawn(editor.argv[0], [*editor.argv, str(file)], environ, file_actions=streams)
            _, status = os.waitpid(program, 0)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return os.waitstatus_to_exitcode(status)


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


class Edited(Struct, frozen=True):
    """The edited proposals, which start a new run."""

    proposals: tuple[Proposal, ...]


class Cancelled(Struct, frozen=True):
    """The person removed every action."""


class Kept(Struct, frozen=True):
    """The edit failed or changed nothing; the question is still open."""


Ended = Edited | Cancelled | Kept


class Opened(Struct, frozen=True):
    """The text opened in the editor, and remarks shown on the terminal if the dialect has no comments."""

    text: str
    beside: tuple[str, ...]


class Editing(Struct, frozen=True):
    """What is needed to edit a question: the operations, the dialect of the text, and a folder for its file."""

    operations: Mapping[str, Operation]
    dialect: Callable[[Question], Dialect]
    """Returns the dialect in which a question's actions are written and read back."""
    scratch: Path
    environ: Mapping[str, str]
    most: int
    """Maximum number of bytes of the edited text."""
    token: Callable[[], str]
    deaf: Callable[[], AbstractContextManager[None]]
    """Makes sayso ignore Ctrl-C inside its `with` block."""

    def edit(self, question: Question, ticks: TickedRows, talk: PromptTerminal) -> Ended:
        """Open the editor, and open it again until its text can be read or the person gives up."""
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
            inert = make_inert(opened.text)
            if inert.mark:
                talk.say(f"{quoted(inert.mark)} keeps the editor from obeying the text; it is left out when you save")
            write_private(file, inert.text)
            ended: Ended | None = None
            while ended is None:
                saved = self._read_saved(file, editor, talk)
                ended = Kept() if saved is None else self._understand(inert.restored(saved), question, ticks, talk)
            return ended

    def _read_saved(self, file: Path, editor: Editor, talk: PromptTerminal) -> str | None:
        """Return the saved text; None if the editor or the text failed, after telling the person why."""
        try:
            code = run(editor, file, talk.terminal.descriptor, self.environ, self.deaf)
            if code == 0:
                return read_back(file, self.most)
            why = _describe_exit(editor, code)
        except (SetupError, OSError) as wrong:
            why = visible(str(wrong))
        talk.say(f"{why}; nothing was edited")
        return None

    def _understand(self, saved: str, question: Question, ticks: TickedRows, talk: PromptTerminal) -> Ended | None:
        """Return the result of the edit; None if the text has errors and the person wants to correct them."""
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
        talk.quote(line for one in wrong[:_MOST_PROBLEMS] for line in sentence(one, talk.width, "", "  "))
        if len(wrong) > _MOST_PROBLEMS:
            talk.say(f"and {len(wrong) - _MOST_PROBLEMS:,} more that cannot be read")
        line = talk.line("Edit again? [e/N] (Enter drops the edit)")
        if (line or "").strip().lower() in AGAIN:
            return None
        talk.say("the edit is dropped")
        return Kept()

    def opened(self, question: Question, ticks: TickedRows) -> Opened:
        """Return the text for the editor: each action as its dialect writes it, or as a remark if it is left out.

        Actions that need a left-out one are included, because planning them anew may succeed. Raises `ProposalError` if
        the text would not read back as the same actions.
        """
        dialect = self.dialect(question)
        head = HEAD.format(unchanged=_ANEW if ticks.lacking else _NOTHING)
        parts, beside = [dialect.remark(head)], [head]
        for card in question.cards:
            if card.index in ticks.left_out:
                parts.append(dialect.remark(self._write_left_out(card, dialect)))
                continue
            written = self._write_card(card, dialect)
            look = _look(written)
            parts += [dialect.remark(look) if look else "", written]
            beside += [look] if look else []
        text = dialect.together([part for part in parts if part])
        if not same(read(dialect, self.operations, text).proposals, ticks.kept(question)):
            raise ProposalError("these actions cannot be written so that they read back the same", "dialect.unsayable")
        return Opened(text, () if parts[0] else tuple(beside))

    def _write_left_out(self, card: Card, dialect: Dialect) -> str:
        try:
            return f"left out:\n{self._write_card(card, dialect)}"
        except ProposalError:
            return f"left out: {visible(card.plan.summary)}"

    def _write_card(self, card: Card, dialect: Dialect) -> str:
        operation = self.operations.get(card.operation)
        if operation is None:
            raise ProposalError(f"nothing here knows {quoted(card.operation)} any more", "operation.unknown")
        return write_proposal(dialect, operation, card.arguments, card.template_id)


def _wrong(reading: Reading) -> list[str]:
    """Return why the saved text cannot be accepted, one sentence for each reason."""
    asks = (
        ["“needs_clarification” is true there, so nothing of it would be done"] if reading.needs_clarification else []
    )
    return asks + [
        (f"line {one.line}: " if one.line else "") + visible(one.problem) for one in reading.proposals if one.problem
    ]


def _look(written: str) -> str:
    """Return a remark that names the invisible characters of a command; empty if it has none."""
    unseen = sorted({letter for letter in written if letter not in "\n\t" and is_unseen(letter)})
    return f"look: the next command holds {', '.join(map(visible, unseen))}, which may not show" if unseen else ""


def same(proposals: tuple[Proposal, ...], cards: tuple[Card, ...]) -> bool:
    """Say whether the proposals equal the actions of the cards."""
    wanted = [(card.operation, card.template_id, canonical(dict(card.arguments))) for card in cards]
    return wanted == [
        (one.operation, one.template_id, canonical(dict(one.arguments))) if one.problem is None else None
        for one in proposals
    ]


def _describe_exit(editor: Editor, code: int) -> str:
    name = visible(Path(editor.argv[0]).name)
    return f"{quoted(name)} was ended by signal {-code}" if code < 0 else f"{quoted(name)} ended with code {code}"


MARK = "‸"
"""Put into words that editors look for; repeated if the text has it already."""

_ORDERS = re.compile(
    r"""
    (?<=[-*])(?=\*-|-\*)                              # Emacs: -*- mode: … -*-
  | (?<=local)(?=[ \t]+variables:)                    # Emacs: Local Variables: … End:
  | (?<=vi|ex)(?=:) | (?<=vim)(?=[<=>]?[0-9]{0,9}:)   # Vim: vim: set …, vim>700:, vi:, ex:
  | (?<=kate)(?=[-:(])                                # Kate: kate: …, kate-mimetype(…)
  | (?<=sublime)(?=:)
  | (?<=:)(?=[a-z.]{1,40}=[^:\n]{0,200}:)             # jEdit: :mode=…:
    """,
    re.VERBOSE | re.IGNORECASE,
)


class InertText(Struct, frozen=True):
    """A text without orders to an editor, and the mark in it; the mark is empty if the text had none."""

    text: str
    mark: str

    def restored(self, saved: str) -> str:
        """Return what was saved without the marks."""
        return saved.replace(self.mark, "") if self.mark else saved


def make_inert(text: str) -> InertText:
    """Return the text with a mark in every modeline and every list of local variables that an editor might obey."""
    longest = max(map(len, re.findall(f"{MARK}+", text)), default=0)
    mark = MARK * (longest + 1)
    inert, count = _ORDERS.subn(mark, text)
    return InertText(inert, mark if count else "")

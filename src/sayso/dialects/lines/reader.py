"""Read lines as they arrive, and make a proposal from each command with its arguments and heredoc."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from sayso.core.dialect import Event, ProposalEvent, WarningEvent
from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.operation import Operation, Parameter, Problem
from sayso.core.proposal import Proposal
from sayso.core.schema import is_blank
from sayso.dialects.lines.grammar import BLANKS, Form, Forms, FormsOf, Line, Opener, Word, choices, read, scan

_LIKE_A_NAME = re.compile(r"[A-Za-z]*_[A-Za-z_]*|[A-Z]{4,}")
_FIRST_WORDS = 240
_MOST_WORDS = 5


class CommandSuggestions:
    """Suggests the commands that an unknown line may mean."""

    def __init__(self, forms: FormsOf) -> None:
        self._names = forms
        self._meanings: Any = None

    def join_words(self, line: str) -> str:
        """Return a line with the words of its command joined (`MOVE FILE a b`); empty if they give no known command."""
        words = line[:_FIRST_WORDS].split()[:_MOST_WORDS]
        for count in range(len(words), 1, -1):
            name = "_".join(words[:count]).upper()
            if name in self._names:
                rest = line.split(None, count)[count:] if len(line) <= _FIRST_WORDS else []
                return " ".join([name, *rest])
        return ""

    def nearest(self, line: str) -> tuple[str, list[str]]:
        """Return the first word of a line, and the commands that it may mean."""
        word = _first(line)
        if word.upper() in self._names:
            return "", []
        return word, [name for id_ in self._find_meant(word) if (name := self._names.name_of(id_))]

    def hint(self, line: str) -> str:
        """Return a sentence that names the commands that a line may mean.

        If there are none, it names the commands for the kind of thing that the line's first word mentions, such as
        files. Empty if there are none of these either.
        """
        word = _first(line)
        told = self._load_meanings().hint(word, self._names.name_of) if _LIKE_A_NAME.fullmatch(word) else ""
        said = told.removeprefix("; ")
        return said[:1].upper() + said[1:] + ("." if said and not said.endswith("?") else "")

    def _find_meant(self, word: str) -> Sequence[str]:
        return self._load_meanings().of(word) if _LIKE_A_NAME.fullmatch(word) else ()

    def _load_meanings(self) -> Any:
        if self._meanings is None:  # imported only here: most replies have no unknown line
            self._meanings = load("sayso.dialects.suggestions:NameMeanings")(self._names.operations)
        return self._meanings


def _first(line: str) -> str:
    return next(iter(line[:_FIRST_WORDS].split()), "")


LONGEST_QUOTE = 4096
"""How many characters of a line a message repeats at most."""

_LONGEST_OPENER = 40
_UNCLEAR = frozenset({"arguments.surplus", "heredoc.form"})
"""Codes of problems after which it is not clear which words are arguments."""


class Body(Struct, frozen=True):
    """The body of a heredoc: its lines, each with its newline, and the line that closed it; None if no line did.

    `raw` is all text after the command, unchanged: the blanks and the line end after the command, the body, and the
    closing line.
    """

    text: str
    end: str | None
    raw: str


class LineEntry(Struct, frozen=True):
    """A command line with its number and its heredoc; blank lines, comments and fences are no entries."""

    index: int
    number: int
    line: Line
    body: Body | None = None
    end_word: str = ""
    """The only word that may open and end its heredoc; empty if any may."""

    @property
    def said(self) -> str:
        """Return the unchanged text of the entry (T-13)."""
        return self.line.written + (self.body.raw if self.body is not None else "")


def propose(entry: LineEntry, forms: Forms, near: CommandSuggestions) -> Proposal:
    """Return the proposal for an entry; if the command is unknown or invalid, the proposal says why (T-13)."""
    form = _form(entry.line, forms)
    if form is None:
        problem = _unknown(entry.line.written, near)
        return Proposal(entry.index, entry.said, line=entry.number, problem=problem, code="command.unknown")
    arguments, problems = _read_entry(form, entry)
    if not problems:
        return Proposal(entry.index, entry.said, form.operation.id, arguments, line=entry.number, given=form.given)
    reasons = ", and ".join(problem.sentence for problem in problems)
    return Proposal(
        entry.index,
        entry.said,
        form.operation.id,
        arguments,
        line=entry.number,
        problem=f"Invalid {form.name}: {reasons}; usage: {form.usage}",
        code=problems[0].code,
        given=form.given,
    )


def _form(line: Line, forms: Forms) -> Form | None:
    # Only ASCII, because `upper` makes two letters from some other characters, such as the ligature of f and i.
    if not line.words or not line.words[0].text.isascii():
        return None
    name = line.words[0].text
    if "_" not in name and not name.isupper() and not _starts_with_quote(line.words[1:]):
        return None  # “Notify me tomorrow” is prose (T-15)
    return forms.get(name.upper())


def _starts_with_quote(words: tuple[Word, ...]) -> bool:
    return bool(words) and words[0].quoted


def _unknown(line: str, near: CommandSuggestions) -> str:
    meant = near.join_words(line)  # T-10
    cut = line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE] + "…"
    return f"Unknown command: {cut}" + (f"; did you mean {meant}?" if meant else "")


def _read_entry(form: Form, entry: LineEntry) -> tuple[Mapping[str, Json], list[Problem]]:
    line, body = entry.line, entry.body
    if not line.closed and (line.opener is None or line.opener.quoted):
        return {}, [Problem("quote.open", "a quote is not closed")]
    wrong = _body_problem(form, entry) or _count_problem(form, line.count - 1, body)
    given = _read_arguments(form, line.words[1:])
    if wrong is not None:
        return given if wrong.code not in _UNCLEAR else {}, [wrong]
    if body is not None and form.body is not None:
        text = body.text.removesuffix("\n") if form.drops_final_newline else body.text
        given[form.takes[form.body].name] = text
    arguments = {**given, **form.fixed} if form.fixed else given
    clean, problems = form.operation.check(arguments)
    if problems:
        return arguments, [_reword_problem(problem, form) for problem in problems]
    return clean, []


def _read_arguments(form: Form, words: tuple[Word, ...]) -> dict[str, Json]:
    pairs = zip(form.taken, words, strict=False)
    return {
        takes.parameter.name: read(takes, word)
        for takes, word in pairs
        if not (form.open and _is_left_out(takes.parameter, word))
    }


def _is_left_out(parameter: Parameter, word: Word) -> bool:
    return not parameter.required and word.raw == "-"


def _body_problem(form: Form, entry: LineEntry) -> Problem | None:
    opener, body = entry.line.opener, entry.body
    if opener is None or body is None:
        return _half_an_opener(entry.line, entry.end_word)
    if not opener.proper:
        return _no_opener(opener.written, entry.end_word)
    if entry.end_word not in {"", opener.tag}:
        word = entry.end_word
        told = f"the end word is {word}, not {opener.tag}: write <<{word}, the text, and a line that is only {word}"
        return Problem("heredoc.word", f"{told}; all that followed was taken for this text, so write it again too")
    if body.end is None:
        sentence = f"no line {opener.tag} ends the text after {opener.written}, so the reply may be cut off"
        return Problem("heredoc.open", sentence)
    if form.body is None:
        return Problem("heredoc.unwanted", f"it takes no text after {opener.written}")
    return None


def _half_an_opener(line: Line, end_word: str) -> Problem | None:
    # If the reply was cut off inside “<<”, the “<” that remains must not be taken for an argument.
    half = line.count == len(line.words) and line.words[-1].raw == "<"
    return _no_opener("<", end_word) if half else None


def _no_opener(written: str, end_word: str) -> Problem:
    cut = written if len(written) <= _LONGEST_OPENER else written[:_LONGEST_OPENER] + "…"
    word = end_word or "END"
    sentence = f"{cut} opens no text; end the line with <<{word}, in capitals and after a blank, or put it in quotes"
    return Problem("heredoc.form", sentence)


def _count_problem(form: Form, count: int, body: Body | None) -> Problem | None:
    place = None if body is None else form.body
    if place is not None and count > place:
        return Problem("arguments.surplus", "its text is given twice, in the line and below it")
    least, most = (form.least, len(form.takes)) if place is None else (place, place)
    if count < least:
        missing = [f"“{parameter.name}”" for parameter in form.takes[count:least]]
        return Problem("arguments.missing", f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    if count > most:
        takes = f"takes {most or 'no'} argument{'' if most == 1 else 's'}, not {count}"
        return Problem("arguments.surplus", f"{takes}; put double quotes around a text that holds blanks")
    return None


def _reword_problem(problem: Problem, form: Form) -> Problem:
    words = [word for parameter in form.takes if parameter.name == problem.argument for word in choices(parameter)]
    if not words:
        return problem
    expects = "expects " + " or ".join(", ".join(words).rsplit(", ", 1))
    sentence = expects if len(form.takes) == 1 else f"“{problem.argument}” {expects}"
    return Problem(problem.code, sentence, problem.argument)


_LINE_END = re.compile(r"(\r\n|\r|\n)")  # T-16: all other line separators are text
_FENCE = re.compile(r"`{3,}[^`]*|~{3,}.*", re.DOTALL)
_MANY = 4096


class _TextBuffer:
    """A text that is collected piece by piece, with little memory even if each piece is one character."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._blocks: list[str] = []

    def add(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)
        if len(self._pieces) >= _MANY:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()

    def take(self) -> str:
        text = "".join([*self._blocks, *self._pieces])
        self._blocks.clear()
        self._pieces.clear()
        return text


class _OpenHeredoc(Struct):
    """A heredoc whose closing line has not arrived yet."""

    number: int
    line: Line
    opener: Opener
    after: str
    """The text after the opener on its line: blanks and the line end."""
    lines: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])

    def add(self, line: str, end: str) -> None:
        self.lines.append(line)
        self.ends.append(end)

    def return_was_half(self) -> None:
        """Add the newline of a CR LF whose two characters arrived in different pieces."""
        if self.ends:
            self.ends[-1] += "\n"
        else:
            self.after += "\n"

    def body(self, end: str | None) -> Body:
        lines = [line + end for line, end in zip(self.lines, self.ends, strict=True)]
        raw = "".join([self.after, *lines, end or ""])
        return Body("".join([f"{line}\n" for line in self.lines]), end, raw)


# This expression matches a whole plain command with its heredoc; `_line` reads everything else. Possessive quantifiers
# never backtrack, so the time grows only with the length of the command.
_ODD = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_ODD_IN_A_BODY = "\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff"
_ARGUMENT = rf'(?:[^ "#<“„”{_ODD}][^ "<{_ODD}]*+|"[^"\\{_ODD}]*+")'
_COMMAND = re.compile(
    rf"(([A-Z][A-Z0-9_]*+)((?:[ \t]++{_ARGUMENT})*+))"
    rf"(?:[ \t]*+\n|[ \t]++<<([A-Z][A-Z0-9_]*+)[ \t]*+\n((?:(?!\4[ \t]*+\n)[^{_ODD_IN_A_BODY}]*+\n)*+)\4[ \t]*+\n)"
)
_ARGUMENTS = re.compile(r'"[^"]*+"|[^ \t"]++(?:"[^"]*+"|[^ \t"])*+')


class _PlainForm(Struct, frozen=True):
    """A form that takes only texts and paths; values are checked by their length, and by how a path begins."""

    form: Form
    values: tuple[tuple[str, int, range | None, str], ...]
    """The arguments in the order of the signature.

    Each has a name, its index among the words, its permitted lengths (None if it is no text), and `path` for a path
    or `seen` for a text that must not be blank.
    """
    body: int | None
    fixed: Mapping[str, Json]


def _plain_of(form: Form) -> _PlainForm | None:
    places = {parameter.name: at for at, parameter in enumerate(form.takes)}
    fixed, problems = form.operation.check(form.fixed)
    if any(problem.code != "arguments.missing" for problem in problems):
        return None
    values = tuple(
        (one.name, places[one.name], one.lengths, "seen" if one.seen else one.kind)
        for one in form.operation.parameters
        if one.name in places
    )
    body = form.body if form.body is not None and form.takes[form.body].kind == "text" else None
    return _PlainForm(form, values, body, fixed)


def _is_plain_value(value: str, kind: str) -> bool:
    if kind == "path":
        return "/$" not in value and value.startswith(("/", "~/"))
    return kind != "seen" or not is_blank(value)


class LinesReader:
    """Returns each proposal as soon as its line or heredoc is complete; no part of the reply is shown as text."""

    def __init__(self, operations: Mapping[str, Operation], end_word: str = "") -> None:
        self._forms = FormsOf(operations)
        self._near = CommandSuggestions(self._forms)
        self._end_word = end_word
        """The only word that ends a heredoc; empty if each ends at the word that opened it."""
        self._partial = _TextBuffer()
        self._after_return = False
        self._started = False
        self._number = 0
        self._index = 0
        self._open: _OpenHeredoc | None = None
        self._plain: dict[str, _PlainForm | None] = {}

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text and return the proposals that it completes."""
        chunk = self._trim_chunk(chunk)
        if not chunk:
            return []
        self._after_return = chunk[-1] == "\r"
        if "\r" not in chunk:
            end = chunk.rfind("\n") + 1
            self._partial.add(chunk[:end])
            events = self._lines(self._partial.take()) if end else []
            self._partial.add(chunk[end:])
            return events
        parts = _LINE_END.split(chunk)
        self._partial.add(parts[0])
        parts[0] = self._partial.take()
        self._partial.add(parts.pop())
        return [event for at in range(0, len(parts), 2) for event in self._line(parts[at], parts[at + 1])]

    def _lines(self, text: str) -> list[Event]:
        """Return the events of a text that consists of whole lines, each with a newline at its end."""
        events: list[Event] = []
        at, end = 0, len(text)
        while at < end:
            if self._open is None and (found := _COMMAND.match(text, at)):
                proposal = self._propose_plain(found)
                if proposal is not None:
                    events.append(ProposalEvent(proposal))
                    at = found.end()
                    continue
            newline = text.index("\n", at)
            events += self._line(text[at:newline], "\n")
            at = newline + 1
        return events

    def _propose_plain(self, found: re.Match[str]) -> Proposal | None:
        """Return the proposal of a valid plain command; None for any other command, which `_line` then reads."""
        written, name, arguments, tag, body = found.groups()
        if name in self._plain:
            plain = self._plain[name]
        else:
            form = self._forms.get(name)
            plain = self._plain[name] = None if form is None else _plain_of(form)
        if plain is None or (self._end_word and tag not in {None, self._end_word}):
            return None
        form = plain.form
        words = [raw[1:-1] if raw[0] == '"' else raw for raw in _ARGUMENTS.findall(arguments)]
        count = len(words)
        if tag is None:
            if not form.least <= count <= len(form.takes):
                return None
        elif count != plain.body:
            return None
        else:
            words.append(body[:-1] if form.drops_final_newline and body else body)
            written = found[0][:-1]
        clean: dict[str, Json] = {}
        for key, place, lengths, kind in plain.values:
            if place < len(words):
                value = words[place]
                if lengths is None or len(value) not in lengths or not _is_plain_value(value, kind):
                    return None
                clean[key] = value
        if form.open and "-" in clean.values():
            return None
        number, index = self._number + 1, self._index
        self._number += 1 if tag is None else 2 + body.count("\n")
        self._index += 1
        if plain.fixed:
            clean |= plain.fixed
        return Proposal(index, written, form.operation.id, clean, line=number, given=form.given)

    def close(self) -> list[Event]:
        """End the text.

        The last line needs no line end, but an open heredoc without its closing line is a problem (T-07).
        """
        rest = self._partial.take()
        events = self._line(rest, "") if rest else []
        if self._open is not None:
            events += self._close_heredoc(self._open, None)
        return events

    def _trim_chunk(self, chunk: str) -> str:
        if not chunk:
            return chunk
        if self._after_return:
            self._after_return = False
            if chunk[0] == "\n":
                chunk = chunk[1:]
                if self._open is not None:
                    self._open.return_was_half()
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix("\ufeff")
        return chunk

    def _line(self, line: str, end: str) -> list[Event]:
        self._number += 1
        if self._open is not None:
            if line.rstrip(BLANKS) == (self._end_word or self._open.opener.tag):
                return self._close_heredoc(self._open, line)
            self._open.add(line, end)
            return []
        line = line.lstrip(BLANKS)
        bare = line.rstrip(BLANKS)
        if not bare:
            return []
        scanned = scan(bare)
        if bare[0] == "#" and scanned.opener is None:
            return []
        if scanned.opener is not None and not (scanned.opener.doubtful and self._is_valid(scanned)):
            self._open = _OpenHeredoc(self._number, scanned, scanned.opener, line[len(bare) :] + end)
            return []
        return [] if _FENCE.fullmatch(bare) else self._propose(self._number, scanned, None)

    def _is_valid(self, line: Line) -> bool:
        return (
            propose(LineEntry(self._index, self._number, line, None, self._end_word), self._forms, self._near).problem
            is None
        )

    def _close_heredoc(self, heredoc: _OpenHeredoc, end: str | None) -> list[Event]:
        self._open = None
        return self._propose(heredoc.number, heredoc.line, heredoc.body(end))

    def _propose(self, number: int, line: Line, body: Body | None) -> list[Event]:
        entry = LineEntry(self._index, number, line, body, self._end_word)
        self._index += 1
        proposal = propose(entry, self._forms, self._near)
        told: list[Event] = [ProposalEvent(proposal)]
        return told if proposal.problem is None else told + self._warn_of_suggestions(proposal)

    def _warn_of_suggestions(self, proposal: Proposal) -> list[Event]:
        if proposal.code != "command.unknown":
            return []
        word, names = self._near.nearest(proposal.said)
        near = " or ".join(names)
        return [WarningEvent(f"line {proposal.line}: “{word}” is no command; near it: {near}")] if names else []

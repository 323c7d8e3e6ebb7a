"""Turn one line, with its heredoc if it opened one, into one proposal."""

from collections.abc import Mapping

from sayso.core.canonical import Json
from sayso.core.operation import Parameter, Problem
from sayso.core.proposal import Proposal
from sayso.core.values import dataclass
from sayso.dialects.lines.forms import Form, Forms
from sayso.dialects.lines.near import Near
from sayso.dialects.lines.scan import Line, Word
from sayso.dialects.lines.values import choices, read

LONGEST_QUOTE = 4096
"""More characters of a line than this are not repeated in a sentence; as many of what was said are kept."""

_LONGEST_OPENER = 40
_UNCLEAR = frozenset({"arguments.surplus", "heredoc.form"})
"""With these nobody can tell which words are arguments."""


@dataclass(frozen=True, slots=True)
class Body:
    """What belongs to an opener: the lines below it, each with its newline, and the line that closed it, if any.

    `raw` is all that follows the line of the opener, just as it came.
    """

    text: str
    end: str | None
    raw: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that is neither blank nor a comment nor a fence, and what belongs to it."""

    index: int
    number: int
    line: Line
    body: Body | None = None

    @property
    def said(self) -> str:
        """Return the entry as it came, to its last line (T-13)."""
        return self.line.written + (self.body.raw if self.body is not None else "")


def propose(entry: Entry, forms: Forms, near: Near) -> Proposal:
    """Return what the entry proposes; one that cannot be understood or is not valid says why (T-13)."""
    form = _form(entry.line, forms)
    if form is None:
        problem = _unknown(entry.line.written, near)
        return Proposal(entry.index, entry.said, line=entry.number, problem=problem, code="command.unknown")
    arguments, problems = _understood(form, entry)
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
    if not line.words or not line.words[0].text.isascii():  # the ligature fi would be FI in upper case
        return None
    name = line.words[0].text
    if "_" not in name and not name.isupper() and not _starts_with_quote(line.words[1:]):
        return None  # “Notify me tomorrow” is prose (T-15)
    return forms.get(name.upper())


def _starts_with_quote(words: tuple[Word, ...]) -> bool:
    return bool(words) and words[0].quoted


def _unknown(line: str, near: Near) -> str:
    meant = near.spelled(line)  # T-10
    cut = line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE] + "…"
    return f"Unknown command: {cut}" + (f"; did you mean {meant}?" if meant else "")


def _understood(form: Form, entry: Entry) -> tuple[Mapping[str, Json], list[Problem]]:
    line, body = entry.line, entry.body
    if not line.closed and (line.opener is None or line.opener.quoted):
        return {}, [Problem("quote.open", "a quote is not closed")]
    wrong = _body_problem(form, entry) or _count_problem(form, line.count - 1, body)
    given = _given(form, line.words[1:])
    if wrong is not None:
        return given if wrong.code not in _UNCLEAR else {}, [wrong]
    if body is not None and form.body is not None:
        text = body.text.removesuffix("\n") if form.drops_final_newline else body.text
        given[form.takes[form.body].name] = text
    arguments = {**given, **form.fixed} if form.fixed else given
    clean, problems = form.operation.check(arguments)
    if problems:
        return arguments, [_worded(problem, form) for problem in problems]
    return clean, []


def _given(form: Form, words: tuple[Word, ...]) -> dict[str, Json]:
    pairs = zip(form.taken, words, strict=False)
    return {
        takes.parameter.name: read(takes, word)
        for takes, word in pairs
        if not (form.open and _left_out(takes.parameter, word))
    }


def _left_out(parameter: Parameter, word: Word) -> bool:
    return not parameter.required and word.raw == "-"


def _body_problem(form: Form, entry: Entry) -> Problem | None:
    opener, body = entry.line.opener, entry.body
    if opener is None or body is None:
        return _half_an_opener(entry.line)
    if not opener.proper:
        return _no_opener(opener.written)
    if body.end is None:
        sentence = f"no line {opener.tag} ends the text after {opener.written}, so the reply may be cut off"
        return Problem("heredoc.open", sentence)
    if form.body is None:
        return Problem("heredoc.unwanted", f"it takes no text after {opener.written}")
    return None


def _half_an_opener(line: Line) -> Problem | None:
    # A reply that was cut off just here must not write “<” where a document was to come.
    half = line.count == len(line.words) and line.words[-1].raw == "<"
    return _no_opener("<") if half else None


def _no_opener(written: str) -> Problem:
    cut = written if len(written) <= _LONGEST_OPENER else written[:_LONGEST_OPENER] + "…"
    sentence = f"{cut} opens no text; end the line with <<END, in capitals and after a blank, or put it in quotes"
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


def _worded(problem: Problem, form: Form) -> Problem:
    words = [word for parameter in form.takes if parameter.name == problem.argument for word in choices(parameter)]
    if not words:
        return problem
    expects = "expects " + " or ".join(", ".join(words).rsplit(", ", 1))
    sentence = expects if len(form.takes) == 1 else f"“{problem.argument}” {expects}"
    return Problem(problem.code, sentence, problem.argument)

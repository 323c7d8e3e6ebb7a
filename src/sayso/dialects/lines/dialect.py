"""The lines dialect: how it is described to a model, and how proposals are written in it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sayso.core.dialect import ProposalEvent, Reader
from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, Parameter
from sayso.dialects import base
from sayso.dialects.answers import (
    AnsweringDialect,
    Arguments,
    Operations,
    OperationWords,
    ResultRow,
    arguments_of,
    original_text,
    outcome_of,
)
from sayso.dialects.lines import grammar
from sayso.dialects.lines.grammar import RESERVED_NAMES, Form, FormsOf, all_forms, commands_of, derive_form, kinds, scan
from sayso.dialects.lines.reader import CommandSuggestions, LinesReader
from sayso.dialects.vocabulary import LINES as COMMAND_NAMES
from sayso.dialects.vocabulary import members

_ROLE = """\
You are a helpful assistant that carries out actions on the person's computer, which runs {system}. You write \
commands; they are checked, shown to the person where needed, and then carried out. Nothing but the commands listed \
here can be done; there is no shell, and no script is run on the computer."""

_RULES = """\
Respond with ONLY the commands to carry out, one per line, in the order they are to happen. No prose, no code fences.
Be concise. Use # for comments.
If no action is needed, respond with: # No action needed
Put each text in double quotes. Inside them \\" is a quote, \\\\ a backslash, \\n a new line and \\t a tab.
Replace every name below by your own text or number. [Square brackets] mark what may be left out; do not write them."""

_HEREDOC = """\
A long text may be written over several lines, just as it is: {texts}. End the command with <<END in place of that \
text, then write the lines, then a line that is only END. The last line of a file's text or of a body ends in a line \
break then, as the others do. Where the request names an END WORD, write that word in place of END, both times: no \
other one ends a text then. Otherwise, if the text itself has a line END, use another word in capitals both times, \
such as <<DONE."""

_PATHS = "Paths are absolute, or ~ or start with ~/, and are never patterns."
_TIMES = "Times are written YYYY-MM-DD HH:MM, or YYYY-MM-DD for a whole day, in local time."
_LISTS = 'Lists and objects are JSON with no blank between their parts: [2,5,8] or ["a b","c"].'
_BOUNDS = "Bounds are the edges of a window in pixels, as [left,top,right,bottom]."
_GAPS = "A bare - leaves out an argument in square brackets when another one follows it."

_EXAMPLES = (
    ("NOTIFY", 'NOTIFY "Time to wrap up" "You have 3 pending tasks"'),
    ("WRITE_DOC", 'WRITE_DOC "~/Documents/tomorrow.md" <<END\n# Tomorrow\n\n1. Call the "Blue Door" café\nEND'),
    ("OPEN_FILE", 'OPEN_FILE "~/Documents/tomorrow.md"'),
)


def describe(operations: Sequence[Operation], system: str = "macOS or Linux") -> str:
    """Return the prompt for these operations: role, rules, and a line for each command (S0-66, S0-71, T-12)."""
    forms = _list_forms(operations)
    actions = "\n".join(f"- {form.usage} - {form.operation.summary}" for form in forms)
    examples = "\n".join(text for name, text in _EXAMPLES if name in {form.name for form in forms})
    parts = [
        _ROLE.format(system=system),
        "RULES:\n" + "\n".join([*_rules(forms), *base.rules(operations)]),
        f"AVAILABLE ACTIONS:\n{actions}",
    ]
    return "\n\n".join([*parts, f"EXAMPLE:\n{examples}"] if examples else parts) + "\n"


def _list_forms(operations: Sequence[Operation]) -> list[Form]:
    known = all_forms(operations)
    named = [known[command.name] for command in COMMAND_NAMES if command.name in known]
    have_a_name = {form.operation.id for form in named}
    return named + [form for form in known.values() if form.operation.id not in have_a_name]


def _rules(forms: Sequence[Form]) -> Iterator[str]:
    yield _RULES
    texts = [f"the {form.takes[form.body].name} of {form.name}" for form in forms if form.body is not None]
    if texts:
        yield _HEREDOC.format(texts=", ".join(texts))
    parameters = [parameter for form in forms for parameter in form.takes]
    if any(parameter.kind == "path" for parameter in parameters):
        yield _PATHS
    if any(parameter.kind == "when" for parameter in parameters):
        yield _TIMES
    if any(kinds(parameter) & {"array", "object"} for parameter in parameters):
        yield _LISTS
    if any(form.open and len(form.takes) - form.least > 1 for form in forms):
        yield _GAPS
    if any(parameter.name == "bounds" for parameter in parameters):
        yield _BOUNDS
    yield from _objects(forms)


def _objects(forms: Sequence[Form]) -> Iterator[str]:
    for form in forms:
        for parameter in form.takes:
            if keys := members(parameter.schema):
                yield f"The {parameter.name} of {form.name}: {keys}; what has a ? may be left out."


def write(operation: Operation, arguments: Mapping[str, Json], end_word: str = "") -> str:
    """Return the command for `operation`: with its S0 name if this can express the arguments, or else its derived one.

    Raises `ProposalError` for invalid arguments, and for arguments that no line can express, such as a carriage return.
    A derived name that is also the S0 name of another operation is not used.
    """
    clean, problems = operation.check(arguments)
    if problems:
        raise ProposalError(problems[0].sentence, problems[0].code)
    for form in _forms(operation):
        text = _spell_call(form, clean, end_word)
        # Text is returned only if the reader reads it back as the same proposal.
        if text is not None and _reads_back(text, operation, clean, end_word):
            return text
    raise ProposalError(f"the line dialect cannot say {operation.id} with these arguments", "dialect.unsayable")


def _forms(operation: Operation) -> Iterator[Form]:
    yield from commands_of(operation)
    form = derive_form(operation)
    if form.name not in RESERVED_NAMES:
        yield form


def _spell_call(form: Form, clean: Mapping[str, Json], end_word: str) -> str | None:
    fixed = {name: clean.get(name) for name in form.fixed}
    rest = {name: value for name, value in clean.items() if name not in fixed}
    if canonical(fixed) != canonical(form.fixed) or not rest.keys() <= {parameter.name for parameter in form.takes}:
        return None
    given = [parameter for parameter in form.takes if parameter.name in rest]
    last = form.takes.index(given[-1]) if given else -1
    text = _as_heredoc(form, last, rest)
    words = [_word(form, parameter, rest) for parameter in form.takes[: last + (text is None)]]
    spelled = [word for word in words if word is not None]
    if len(spelled) < len(words):
        return None
    line = " ".join([form.name, *spelled])
    return line if text is None else _with_heredoc(line, text, end_word)


def _word(form: Form, parameter: Parameter, rest: Mapping[str, Json]) -> str | None:
    if parameter.name not in rest:
        return "-" if form.open and not parameter.required else None
    value = rest[parameter.name]
    if isinstance(value, str) and value in grammar.choices(parameter) and value.isascii() and value.isalnum():
        return value
    return grammar.write(value)


def _as_heredoc(form: Form, last: int, rest: Mapping[str, Json]) -> str | None:
    text = rest[form.takes[last].name] if last >= 0 and last == form.body else None
    if not isinstance(text, str) or "\n" not in text:
        return None
    if form.drops_final_newline:
        return text + "\n"
    return text if text.endswith("\n") else None


def _with_heredoc(line: str, text: str, end_word: str) -> str:
    if end_word:
        return f"{line} <<{end_word}\n{text}{end_word}"
    taken = {row.rstrip(" \t") for row in text.split("\n") if row.startswith("END")}
    tag, number = "END", 1
    while tag in taken:
        number += 1
        tag = f"END_{number}"
    return f"{line} <<{tag}\n{text}{tag}"


def _reads_back(text: str, operation: Operation, clean: Mapping[str, Json], end_word: str) -> bool:
    reader = LinesReader({operation.id: operation}, end_word)
    events = [*reader.feed(text), *reader.close()]
    read = [event.proposal for event in events if isinstance(event, ProposalEvent)]
    if len(events) != 1 or len(read) != 1 or read[0].problem is not None:
        return False
    return read[0].operation == operation.id and canonical(read[0].arguments) == canonical(clean)


_LINE_END = re.compile(r"\r\n|\r|\n")
_MEANT = "did you mean "


class LinesDialect(AnsweringDialect):
    """S0: plain text, one command per line."""

    name: str = "lines"

    def __init__(self, end_word: str = "") -> None:
        self._end_word = end_word

    def ending(self, word: str) -> "LinesDialect":
        """Return this dialect with `word` as the only one that ends a text."""
        return LinesDialect(word)

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that knows these operations and no others."""
        return LinesReader(operations, self._end_word)

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model to write these operations."""
        return describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Return the lines that are read as this proposal; raises `ProposalError` if lines cannot express it."""
        return write(operation, arguments, self._end_word)

    def remark(self, text: str) -> str:
        """Return each line of a text as a comment that begins with `#`; an empty line stays empty."""
        return "\n".join(_comment(line) if line else "" for line in text.split("\n"))

    def together(self, parts: Sequence[str]) -> str:
        """Return the parts as one text, each on its own lines."""
        return "".join(f"{part}\n" for part in parts)

    def words(self, operation: Operation, arguments: Arguments) -> OperationWords | None:
        """Return the name and form of the S0 command that these arguments do not contradict, or of the derived command.

        The keys of the arguments are their canonical names.
        """
        form = _form_for(operation, arguments)
        return OperationWords(form.name, {parameter.name: parameter.name for parameter in form.takes}, form.usage)

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return the first line of the command, and its outcome."""
        operation = operations.get(str(row["operation"]))
        first = _LINE_END.split(original_text(row), maxsplit=1)[0]
        command = first if operation is None else line_of(operation, arguments_of(row))
        return {"command": command or row["operation"], **outcome_of(row)}

    def find_meant(self, said: str, operations: Operations) -> list[Operation]:
        """Return the operations that the first word of a line may mean."""
        forms = FormsOf(operations)
        return [forms[name].operation for name in CommandSuggestions(forms).nearest(said)[1]]

    def with_other_names(self, said: str, operation: Operation) -> Iterator[str]:
        """Yield the line with its first word replaced by the operation's command."""
        word = said.split(None, 1)[0]
        yield said.replace(word, FormsOf({operation.id: operation}).name_of(operation.id), 1)

    def spellings(self, said: str, error: str) -> Iterator[str]:
        """Yield the command from the error message, alone and with arguments, and the line with its quote closed."""
        meant = error.partition(_MEANT)[2]
        if meant.endswith("?"):
            yield meant[:-1]
            yield " ".join([meant[:-1], *said.split(None, 1)[1:]])
        if "a quote is not closed" in error:
            yield said + '"'

    def suggest(self, said: str, operations: Operations) -> str:
        """Return a sentence that names the commands that an unknown line may mean.

        If there are none, it names the commands for the kind of thing that the line's first word mentions, such as
        files. Empty if there are none of these either.
        """
        return CommandSuggestions(FormsOf(operations)).hint(said)


def line_of(operation: Operation, arguments: Arguments) -> str:
    """Return the first line of the command for these arguments; only its name if no line can express them."""
    try:
        return write(operation, arguments).partition("\n")[0]
    except ProposalError:
        return _form_for(operation, arguments).name


def _form_for(operation: Operation, arguments: Arguments) -> Form:
    fitting = [
        form
        for form in commands_of(operation)
        if all(arguments.get(name, value) == value for name, value in form.fixed.items())
    ]
    return fitting[0] if fitting else derive_form(operation)


def _comment(line: str) -> str:
    comment = f"# {line}"
    # The added # keeps a <<WORD at the end of the comment from opening a heredoc.
    return comment if scan(comment).opener is None else f"{comment} #"


LINES = LinesDialect()

"""Write one proposal as lines that read back as exactly that proposal."""

from collections.abc import Iterator, Mapping

from sayso.core.canonical import Json, canonical
from sayso.core.errors import ProposalError
from sayso.core.events import Proposed
from sayso.core.operation import Operation, Parameter
from sayso.dialects.lines import values
from sayso.dialects.lines.forms import Form, commands_of, derived, reserved
from sayso.dialects.lines.reader import LinesReader


def write(operation: Operation, arguments: Mapping[str, Json]) -> str:
    """Return the command for `operation`, by its S0 name where that can say it, else by its derived name.

    Raises `ProposalError` for arguments that do not pass the door, and for what no line can say: a
    carriage return, an operation whose derived name S0 gave to another.
    """
    clean, problems = operation.check(arguments)
    if problems:
        raise ProposalError(problems[0].sentence, problems[0].code)
    for form in _forms(operation):
        text = _spelled(form, clean)
        # Nothing is promised that was not tried: the reader itself has the last word.
        if text is not None and _reads_back(text, operation, clean):
            return text
    raise ProposalError(f"the line dialect cannot say {operation.id} with these arguments", "dialect.unsayable")


def _forms(operation: Operation) -> Iterator[Form]:
    yield from commands_of(operation)
    form = derived(operation)
    if form.name not in reserved():
        yield form


def _spelled(form: Form, clean: Mapping[str, Json]) -> str | None:
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
    return line if text is None else _with_heredoc(line, text)


def _word(form: Form, parameter: Parameter, rest: Mapping[str, Json]) -> str | None:
    if parameter.name not in rest:
        return "-" if form.open and not parameter.required else None
    value = rest[parameter.name]
    if isinstance(value, str) and value in values.choices(parameter) and value.isascii() and value.isalnum():
        return value
    return values.write(value)


def _as_heredoc(form: Form, last: int, rest: Mapping[str, Json]) -> str | None:
    text = rest[form.takes[last].name] if last >= 0 and last == form.body else None
    if not isinstance(text, str) or "\n" not in text:
        return None
    if form.drops_final_newline:
        return text + "\n"
    return text if text.endswith("\n") else None


def _with_heredoc(line: str, text: str) -> str:
    taken = {row.rstrip(" \t") for row in text.split("\n") if row.startswith("END")}
    tag, number = "END", 1
    while tag in taken:
        number += 1
        tag = f"END_{number}"
    return f"{line} <<{tag}\n{text}{tag}"


def _reads_back(text: str, operation: Operation, clean: Mapping[str, Json]) -> bool:
    reader = LinesReader({operation.id: operation})
    events = [*reader.feed(text), *reader.close()]
    read = [event.proposal for event in events if isinstance(event, Proposed)]
    if len(events) != 1 or len(read) != 1 or read[0].problem is not None:
        return False
    return read[0].operation == operation.id and canonical(read[0].arguments) == canonical(clean)

"""Say what an operation and its arguments are called in a dialect, also where the arguments are not valid."""

from collections.abc import Iterator, Mapping

from sayso.core.canonical import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.values import dataclass
from sayso.dialects import names
from sayso.dialects.actions.envelope import OPERATION as TEMPLATE
from sayso.dialects.keyed import derived, shape, written
from sayso.dialects.lines import LINES
from sayso.dialects.lines.forms import Form, commands_of
from sayso.dialects.lines.forms import derived as derived_form
from sayso.dialects.names import Keyed
from sayso.dialects.tools.naming import TWO, own_tool

_INSTANCE = '{"actions": [{"templateId": text, "label": text, "params": object}]}'

Arguments = Mapping[str, Json]


@dataclass(frozen=True)
class Spoken:
    """An operation in the words of a dialect: its name, its keys by canonical name, and how it is written."""

    name: str
    keys: Mapping[str, str]
    form: str


def spoken(dialect: str, operation: Operation, arguments: Arguments) -> Spoken | None:
    """Return the operation in the words of a dialect; None for what the dialect has no words for.

    Of several names it is the one that can say these arguments, else the one that contradicts them least.
    """
    if dialect == "lines":
        form = _line_form(operation, arguments)
        return Spoken(form.name, {parameter.name: parameter.name for parameter in form.takes}, form.usage)
    if dialect == "tools":
        return _tool(operation, arguments)
    if dialect == "actions":
        return Spoken("actions", {}, _INSTANCE) if operation.id == TEMPLATE else None
    keyed = _best(_keyed(dialect, operation), operation, arguments)
    return None if keyed is None else Spoken(keyed.name, _keys(keyed), shape(keyed, operation, "type"))


def line_of(operation: Operation, arguments: Arguments) -> str:
    """Return the first line of what the line dialect writes for this; where it cannot say it, the command's name."""
    try:
        return LINES.write(operation, arguments).partition("\n")[0]
    except ProposalError:
        return _line_form(operation, arguments).name


def _line_form(operation: Operation, arguments: Arguments) -> Form:
    fitting = [
        form
        for form in commands_of(operation)
        if all(arguments.get(name, value) == value for name, value in form.fixed.items())
    ]
    return fitting[0] if fitting else derived_form(operation)


def _keyed(dialect: str, operation: Operation) -> Iterator[Keyed]:
    table = names.COMMANDS if dialect == "commands" else names.BLOCKS
    yield from (keyed for keyed in table if keyed.operation == operation.id)
    if dialect == "commands":
        yield derived(operation, "type")


def _best(found: Iterator[Keyed], operation: Operation, arguments: Arguments) -> Keyed | None:
    known = list(found)
    able = [keyed for keyed in known if _says(keyed, operation, arguments)]
    alike = [
        keyed
        for keyed in known
        if all(arguments.get(name, value) == value for name, value in keyed.fixed.items())
        and set(arguments) <= {*keyed.keys.values(), *keyed.fixed}
    ]
    return next(iter([*able, *alike, *known]), None)


def _says(keyed: Keyed, operation: Operation, arguments: Arguments) -> bool:
    try:
        written(keyed, operation, arguments)
    except ProposalError:
        return False
    return True


def _keys(keyed: Keyed) -> dict[str, str]:
    return {name: key for key, name in reversed(list(keyed.keys.items()))}


def _tool(operation: Operation, arguments: Arguments) -> Spoken | None:
    own = own_tool(names.open_name(operation.id), {operation.id: operation})
    if own is not None:
        members = shape(own, operation, "").removeprefix(f'{{"": "{own.name}"').removeprefix(", ").removesuffix("}")
        return Spoken(own.name, _keys(own), f'{{"name": "{own.name}", "arguments": {{{members}}}}}')
    tools = {keyed.name: tool.name for tool in TWO for keyed in tool.actions.names if keyed.operation == operation.id}
    keyed = _best(
        (keyed for tool in TWO for keyed in tool.actions.names if keyed.operation == operation.id), operation, arguments
    )
    if keyed is None:
        return None
    form = f'{{"name": "{tools[keyed.name]}", "arguments": {shape(keyed, operation, "action")}}}'
    return Spoken(keyed.name, _keys(keyed), form)

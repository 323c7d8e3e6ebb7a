"""How each command is written: its name, its arguments in order, and which of them may be a heredoc."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation, Parameter
from sayso.core.values import dataclass
from sayso.dialects import names
from sayso.dialects.lines.values import Taken, choices, kinds, taken


@dataclass(frozen=True)
class Form:
    """One way to write one operation."""

    name: str
    operation: Operation
    takes: tuple[Parameter, ...]
    least: int
    """How many of them must be given."""
    body: int | None
    """Which of them may be a heredoc; nothing follows it then."""
    fixed: Mapping[str, Json]
    open: bool
    """The name is derived; an unquoted `-` leaves out an optional argument before others."""

    @cached_property
    def usage(self) -> str:
        """Return the line as one would write it, with names for the arguments."""
        shown = [_shown(parameter) for parameter in self.takes]
        optional = [f"[{word}]" for word in shown[self.least :]]
        return " ".join([self.name, *shown[: self.least], *optional])

    @cached_property
    def given(self) -> tuple[str, str]:
        """Return name and usage, for messages about a proposal of this form."""
        return self.name, self.usage

    @cached_property
    def taken(self) -> tuple[Taken, ...]:
        """Return what each argument takes."""
        return tuple(taken(parameter) for parameter in self.takes)

    @cached_property
    def drops_final_newline(self) -> bool:
        """Say whether a heredoc loses one final newline (T-09)."""
        return self.operation.id in names.DROPS_FINAL_NEWLINE


Forms = Mapping[str, Form]
"""Every name that is known, in upper case, with its form."""


class FormsOf(Mapping[str, Form]):
    """The forms of these operations by name: those of S0 first, then the derived ones; each made when it is asked for.

    A name of S0 means nothing else, even where its operation is not there. A derived name that two
    operations share is none.
    """

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self.operations = operations
        self._commands = {command.name: command for command in names.LINES if command.operation in operations}
        shared = Counter(derived_name(id_) for id_ in operations)
        free = {name for name, times in shared.items() if times == 1} - reserved()
        self._derived = {name: id_ for id_ in operations if (name := derived_name(id_)) in free}
        self._made: dict[str, Form] = {}

    def __getitem__(self, name: str) -> Form:
        """Return the form of this name; only its own operation is looked at."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._form(name)
        return made

    def _form(self, name: str) -> Form:
        command = self._commands.get(name)
        if command is not None:
            return named(command, self.operations[command.operation])
        return derived(self.operations[self._derived[name]])

    def called(self, id_: str) -> str:
        """Return the name of an operation, that of S0 before the derived one; empty where it has none."""
        derived = derived_name(id_)
        named = (name for name, command in self._commands.items() if command.operation == id_)
        return next(named, derived if derived in self._derived else "")

    def __contains__(self, name: object) -> bool:
        """Say whether something has this name."""
        return name in self._commands or name in self._derived

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        yield from self._commands
        yield from self._derived

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self._commands) + len(self._derived)


def all_forms(operations: Iterable[Operation]) -> Forms:
    """Return every form of these operations by name. Raises `SetupError` where one lacks what its name gives it."""
    return MappingProxyType(dict(FormsOf({operation.id: operation for operation in operations})))


def reserved() -> frozenset[str]:
    """Return the names that S0 gave out."""
    return frozenset(command.name for command in names.LINES)


def derived_name(id_: str) -> str:
    """Return the name an operation has without one of its own: `task.add` → `TASK_ADD`."""
    return names.open_name(id_).upper()


def commands_of(operation: Operation) -> tuple[Form, ...]:
    """Return the forms an operation has by the names of S0; file.write has two."""
    return tuple(named(command, operation) for command in names.LINES if command.operation == operation.id)


def named(command: names.Command, operation: Operation) -> Form:
    """Return the form that S0 gave to an operation."""
    known = {parameter.name: parameter for parameter in operation.parameters}
    wanted = (*command.needs, *command.may)
    lacking = [name for name in (*wanted, *command.fixed) if name not in known]
    if lacking:
        raise SetupError(f"{operation.id} lacks “{lacking[0]}”, which {command.name} gives it", "catalogue.names")
    body = None if command.body is None else wanted.index(command.body)
    takes = tuple(known[name] for name in wanted)
    return Form(command.name, operation, takes, len(command.needs), body, command.fixed, open=False)


def derived(operation: Operation) -> Form:
    """Return the open form: arguments in the order of the signature, optional ones last.

    The heredoc is the last argument that must be given, if that is a text, else the last optional text.
    """
    takes = tuple(sorted(operation.parameters, key=lambda parameter: not parameter.required))
    least = sum(parameter.required for parameter in takes)
    texts = [at for at, parameter in enumerate(takes) if parameter.kind == "text" and at >= least - 1]
    body = None if not texts else texts[0] if texts[0] == least - 1 else texts[-1]
    return Form(derived_name(operation.id), operation, takes, least, body, {}, open=True)


def _shown(parameter: Parameter) -> str:
    words, known = choices(parameter), kinds(parameter)
    if words:
        return "|".join(words)
    if "string" in known:
        return f'"{parameter.name}"'
    if "boolean" in known:
        return f"<{parameter.name}: true|false>"
    if known & {"array", "object"}:
        return f"<{parameter.name}: JSON {'list' if 'array' in known else 'object'}>"
    return f"<{parameter.name}>"

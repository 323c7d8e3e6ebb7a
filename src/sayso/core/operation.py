"""An operation: one function that reads stores and returns a plan, and what sayso derives from its signature."""

import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.lazy import load
from sayso.core.plan import Answer, Plan
from sayso.core.schema import (
    Asks,
    Check,
    Kind,
    check_of,
    choices,
    describe_expected,
    is_blank,
    match_choice,
    surrogate_problem,
    text_kind,
    text_problem,
)

Function = Callable[..., Awaitable[Plan | Answer]]


class Parameter(Struct, frozen=True):
    """One argument of an operation, with its canonical name, its type with constraints, and its default."""

    name: str
    type: Any
    required: bool
    default: Json
    schema: Mapping[str, Json]
    kind: str
    """The kind of text: `path`, `line`, `text` or `when`; empty for other types."""
    whole: bool
    """Whether the value may be a whole number, or a list with whole numbers."""
    lengths: range | None
    """The permitted lengths of a text; None for other types, and for texts with constraints besides length and kind."""
    choices: tuple[str, ...]
    """The permitted words, compared without regard to case; empty if other texts are permitted too."""
    seen: bool = False
    """Whether each text in the value must have a character that can be seen, because it must not be empty."""
    check: Check | None = None
    """What else is checked of a value whose type is valid."""


class Problem(Struct, frozen=True):
    """Why arguments are not valid; `argument` is a canonical name, or empty if it is not about one argument."""

    code: str
    sentence: str
    argument: str = ""
    other: str = ""
    """The second argument that the sentence names, if it is about two."""


class Operation(Struct, frozen=True, dict=True):
    """Something that a model may propose, defined by the name, docstring and signature of a function.

    `kind` is `read`, `write`, `destructive` or `external`; `asks` is `none`, `mode`, `floor` or `click` (section 8 of
    the specification). `outside` marks operations that return text written by strangers (pages, mail, clipboard,
    files): once one was done in a session, the person is asked before the session sends data.
    """

    id: str
    kind: Kind
    asks: Asks
    function: Function
    outside: bool = False
    reach: str = "roots"
    """Where its path arguments may point: `roots`, or `home` for operations that only show something (T-30)."""
    version: int = 1
    """Must be raised when the operation changes so much that earlier grants should not allow it any more."""
    ordered: tuple[tuple[str, str], ...] = ()
    """Pairs of arguments, both dates or times, of which the second must be after the first."""
    untold: tuple[str, ...] = ()
    """Words that are no choice of an argument on this system (`without_choice`)."""

    @property
    def answers(self) -> bool:
        """Return whether to call it is to read: then nothing is left to carry out, and it is called in its turn."""
        return self.kind == "read"

    @cached_property
    def said(self) -> str:
        """Return the whole docstring, for prompts and the reference."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """Return the first line of the docstring without its full stop."""
        return self.said.partition("\n")[0].rstrip(".")

    @cached_property
    def _signature(self) -> tuple[tuple[str, ...], tuple[Parameter, ...]]:
        hints = get_type_hints(self.function, include_extras=True)
        stores: list[str] = []
        parameters: list[Parameter] = []
        for name, given in inspect.signature(self.function).parameters.items():
            if getattr(hints[name], "_is_protocol", False):
                stores.append(name)
            else:
                parameters.append(_without(_parameter(name, hints[name], given), self.untold))
        return tuple(stores), tuple(parameters)

    @property
    def stores(self) -> tuple[str, ...]:
        """Return the names of the stores that the operation reads: the parameters whose types are protocols."""
        return self._signature[0]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the arguments in the order of the signature."""
        return self._signature[1]

    async def call(self, reads: Mapping[str, Any], arguments: Mapping[str, Json]) -> Plan | Answer:
        """Call the function with the stores that it reads and the arguments."""
        return await self.function(**reads, **arguments)

    def without_choice(self, choice: str) -> "Operation":
        """Return the operation as it is told where one of the words that its arguments may be means nothing.

        The word is still accepted.
        """
        named = any(choice in parameter.choices for parameter in self.parameters)
        return replace(self, untold=(*self.untold, choice)) if named else self

    @cached_property
    def _parameters_by_name(self) -> Mapping[str, Parameter]:
        return {parameter.name: parameter for parameter in self.parameters}

    @cached_property
    def schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments; other keys are not allowed."""
        return {
            "type": "object",
            "properties": {parameter.name: dict(parameter.schema) for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.required],
            "additionalProperties": False,
        }

    def told(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments without those that equal their defaults, so that equal proposals compare as equal."""
        return {
            name: value
            for name, value in arguments.items()
            if not _is_default(self._parameters_by_name.get(name), value)
        }

    def check(self, arguments: Mapping[str, Json]) -> tuple[dict[str, Json], list[Problem]]:
        """Validate `arguments` against the schema without coercion, except that 3.0 is accepted for 3 (T-105).

        Returns the valid arguments, without defaults filled in, and every problem found. A null counts as a missing
        argument if the default is None. A choice may be written in any case and is returned as declared (T-10).
        """
        known = self._parameters_by_name
        problems = [_unknown(self.id, name, known) for name in arguments if name not in known]
        clean: dict[str, Json] = {}
        for name, parameter in known.items():
            if name not in arguments:
                if parameter.required:
                    problems.append(Problem("arguments.missing", f"{self.id} needs “{name}”", name))
                continue
            if arguments[name] is None and not parameter.required and parameter.default is None:
                continue
            value, problem = _check_value(parameter, arguments[name])
            if problem is None:
                clean[name] = value
            else:
                problems.append(problem)
        problems += [problem for pair in self.ordered if (problem := _order_problem(pair, clean))]
        return clean, problems


def operation(  # noqa: PLR0913 - what an operation declares
    id: str,  # noqa: A002 - the word the specification uses
    *,
    kind: Kind,
    asks: Asks,
    outside: bool = False,
    reach: str = "roots",
    version: int = 1,
    ordered: tuple[tuple[str, str], ...] = (),
) -> Callable[[Function], Operation]:
    """Declare a function as an operation. The function reads stores and returns a `Plan` or an `Answer`; it cannot act.

    Raise `version` when the operation changes so much that earlier grants should not allow it any more.
    """

    def declare(function: Function) -> Operation:
        return Operation(id, kind, asks, function, outside, reach, version, ordered)

    return declare


def _parameter(name: str, hint: Any, given: inspect.Parameter) -> Parameter:
    required = given.default is inspect.Parameter.empty
    schema = cast("dict[str, Json]", msgspec.json.schema(hint))
    default = None if required else given.default
    whole, kind = "integer" in str(schema), text_kind(hint)
    lengths, check = _lengths(hint, schema), check_of(hint)
    seen = bool(kind) and kind != "path" and "minLength" in str(schema)
    return Parameter(name, hint, required, default, schema, kind, whole, lengths, choices(schema), seen, check)


def _lengths(hint: Any, schema: Mapping[str, Json]) -> range | None:
    """Return the permitted lengths of a text; None if its type has other constraints too."""
    if getattr(hint, "__origin__", None) is not str or "pattern" in schema or check_of(hint):
        return None
    least, most = schema.get("minLength", 0), schema.get("maxLength", sys.maxsize)
    return range(cast("int", least), cast("int", most) + 1)


def _check_value(parameter: Parameter, value: Json) -> tuple[Json, Problem | None]:
    name = parameter.name
    if (
        parameter.lengths is not None
        and type(value) is str
        and len(value) in parameter.lengths
        and text_problem(value, parameter.kind) is None
        and not (parameter.seen and is_blank(value))
    ):
        return value, None
    if isinstance(value, str):
        value = match_choice(value, parameter.choices)
    if parameter.whole:
        value = _whole(value)
    is_object = isinstance(cast("object", value), Mapping)
    for text in texts_in(value) if parameter.kind or is_object else ():
        # In an object, only lone surrogates are refused here; the operation checks all other characters itself.
        wrong = surrogate_problem(text) if is_object else text_problem(text, parameter.kind)
        if wrong is not None:
            code = "arguments.characters" if wrong.startswith("holds") else "path.form"
            return None, Problem(code, f"“{name}” {wrong}", name)
        if parameter.seen and text and is_blank(text):
            return None, Problem("arguments.type", f"“{name}” must be a text that is not only blanks", name)
    try:
        read = msgspec.convert(value, parameter.type, strict=True)
        if parameter.check is not None:
            parameter.check(name, read)
    except ProposalError as wrong:
        return None, Problem(wrong.code, str(wrong), name)
    except ValueError:  # msgspec raises other errors too, if it cannot quote the value
        must = f"“{name}” must be {describe_expected(parameter.schema)}"
        said = must if value is not None or parameter.required else f"{must}, not null; it may be left out"
        return None, Problem("arguments.type", said, name)
    return read, None


def _order_problem(pair: tuple[str, str], clean: Mapping[str, Json]) -> Problem | None:
    first, last = (clean.get(name) for name in pair)
    if not isinstance(first, str) or not isinstance(last, str):
        return None
    sentence = load("sayso.core.datetimes:order_problem")(pair, first, last)
    return None if sentence is None else Problem("arguments.date", sentence, pair[1], pair[0])


def texts_in(value: Json) -> list[str]:
    """Return every text in a value at any depth, including the names of members."""
    if isinstance(value, str):
        return [value]
    found: list[str] = []
    ahead: list[Json] = [value]
    while ahead:
        item = ahead.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Mapping):
            members = cast("Mapping[str, Json]", item)
            found += members
            ahead += members.values()
        elif isinstance(item, list | tuple):
            ahead += cast("Sequence[Json]", item)
    return found


def _whole(value: Json) -> Json:
    """Return whole floats as integers, also in a list: 3.0 becomes 3 (T-105)."""
    if isinstance(value, list | tuple):
        return [_whole(item) for item in cast("Sequence[Json]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without(parameter: Parameter, untold: tuple[str, ...]) -> Parameter:
    for choice in untold:
        if choice in parameter.choices:
            kept = tuple(word for word in parameter.choices if word != choice)
            parameter = replace(parameter, choices=kept, schema=_schema_without(parameter.schema, choice))
    return parameter


def _schema_without(schema: Json, choice: str) -> Any:
    if isinstance(schema, Mapping):
        members = cast("Mapping[str, Json]", schema)
        return {name: _schema_without(value, choice) for name, value in members.items()}
    if isinstance(schema, list):
        return [_schema_without(one, choice) for one in cast("list[Json]", schema) if one != choice]
    return schema


def _is_default(parameter: Parameter | None, value: Json) -> bool:
    if parameter is None or parameter.required:
        return False
    return type(value) is type(parameter.default) and value == parameter.default


def _unknown(operation_id: str, name: str, known: Mapping[str, Parameter]) -> Problem:
    taken = ", ".join(known) or "no arguments"
    return Problem("arguments.unknown", f"{operation_id} does not take “{name[:80]}”; it takes {taken}", name)

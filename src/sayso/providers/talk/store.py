"""What operations can read from the talk store, and templates with the types of their parameters."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Literal, Protocol

from msgspec import Struct

from sayso.core.encoding import Json, canonical
from sayso.core.instances import Instances
from sayso.core.operation import Problem
from sayso.core.quotes import quoted
from sayso.core.schema import describe_expected, surrogate_problem

ParameterType = Literal["string", "number", "integer", "boolean", "array", "object"]


class TemplateParameter(Struct, frozen=True):
    """One entry of `properties` in a template's `parameterSchema` (S3-13)."""

    name: str
    type: ParameterType
    description: str = ""
    required: bool = False
    enum: tuple[Json, ...] = ()
    """The allowed values; empty if every value of the type is allowed."""
    default: Json = None
    """The value used if the parameter is missing (S3-16); None if there is no default."""


def check_parameters(
    parameters: Sequence[TemplateParameter], given: Mapping[str, Json]
) -> tuple[dict[str, Json], tuple[Problem, ...]]:
    """Return the parameters for the handler, and all problems with the given ones (T-77, S3-14 to S3-16).

    Defaults are filled in first. Then each required parameter must be present. Each value must belong to a known
    parameter, have the parameter's type, and be one of its allowed values. Values are not converted, except that 3.0
    becomes 3 for an integer (T-105). A boolean is not a number, and null has none of the types.
    """
    known = {parameter.name: parameter for parameter in parameters}
    defaults = {name: parameter.default for name, parameter in known.items() if parameter.default is not None}
    full = {name: _as_integer(known.get(name), value) for name, value in {**defaults, **given}.items()}
    problems = [
        Problem("arguments.missing", f"{quoted(name)} is missing", name)
        for name, parameter in known.items()
        if parameter.required and name not in full
    ]
    problems += [problem for name, value in full.items() if (problem := _problem(known, name, value))]
    return full, tuple(problems)


def _problem(known: Mapping[str, TemplateParameter], name: str, value: Json) -> Problem | None:
    parameter = known.get(name)
    if parameter is None:
        taken = "it takes " + ", ".join(known) if known else "it takes no parameters"
        return Problem("arguments.unknown", f"{quoted(name[:80])} is not a parameter of it; {taken}", name)
    if not _is_a(parameter.type, value):
        must = f"{quoted(name)} must be {describe_expected({'type': parameter.type})}"
        optional = value is None and not parameter.required
        return Problem("arguments.type", f"{must}, not null; it may be left out" if optional else must, name)
    if isinstance(value, str) and (wrong := surrogate_problem(value)):
        return Problem("arguments.characters", f"{quoted(name)} {wrong}", name)
    # Compared as JSON, because in Python True equals 1.
    if parameter.enum and canonical(value) not in [canonical(choice) for choice in parameter.enum]:
        choices = [choice if isinstance(choice, str) else canonical(choice).decode() for choice in parameter.enum]
        return Problem("arguments.type", f"{quoted(name)} must be {describe_expected({'enum': choices})}", name)
    return None


def _is_a(wanted: ParameterType, value: Json) -> bool:
    match wanted:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, Mapping)


def _as_integer(parameter: TemplateParameter | None, value: Json) -> Json:
    if parameter is None or parameter.type != "integer":
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


Role = Literal["user", "assistant", "system"]
Level = Literal["info", "warn", "error"]


class Template(Struct, frozen=True):
    """One of the person's own actions, as it is shown in lists."""

    id: str
    name: str = ""
    description: str = ""
    parameters: tuple[TemplateParameter, ...] | None = None
    """The parameters; None if they are unknown, so that arguments are not checked."""


class Instance(Struct, frozen=True):
    """A template that is offered in one session; the backend knows its parameters."""

    instance_id: str
    template_id: str
    session_id: str
    label: str = ""
    description: str = ""


class AgentQuestion(Struct, frozen=True):
    """A question to a language model that no person asked; it may use only these tools, and only tools that look."""

    prompt: str
    system_prompt: str = ""
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None
    session: str = ""


class TalkHome(Protocol):
    """What the real backend uses of its home."""

    @property
    def chats(self) -> Instances:
        """Return the storage of offers and messages."""
        ...

    def now(self) -> str:
        """Return the time in ISO 8601."""
        ...

    def is_expired(self, created: str) -> bool:
        """Return whether an offer that was made at this time (ISO 8601) is too old."""
        ...

    def model(self) -> str:
        """Return the name of the model that the settings name. Raises `ProviderError` if that is no language model."""
        ...

    async def ask(self, question: AgentQuestion) -> str:
        """Return the model's answer. Raises `SetupError` or `ProviderError`."""
        ...

    def templates(self) -> tuple[Template, ...]:
        """Return the person's own actions that exist now."""
        ...

    def may_look(self, tool: str) -> bool:
        """Return whether a tool of this name exists, is allowed, and only looks."""
        ...


class Talk(Protocol):
    """What operations can read from the talk store."""

    def session(self) -> str:
        """Return the chat session of this run; empty if there is none."""
        ...

    def model(self) -> str:
        """Return the name of the model that a call would use."""
        ...

    def new_id(self) -> str:
        """Return an unused id for a message, call or line."""
        ...

    async def templates(self) -> tuple[Template, ...]:
        """Return the person's own actions, sorted by id."""
        ...

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        """Return an offered instance, which names its template; it is found by its id and session (T-74)."""
        ...

    async def result(self, instance_id: str, session_id: str) -> Mapping[str, Json] | None:
        """Return the stored result of an instance that has ended (S3-26 to S3-29); None if it has not."""
        ...

    def may_look(self, tool: str) -> bool:
        """Return whether a model may be given this tool."""
        ...

    async def answer(self, question: str) -> str:
        """Return an answer from the current context; without a model, the context itself as a plain list (T-100)."""
        ...

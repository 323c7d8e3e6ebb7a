"""What the tests of policy start from: settings, operations, steps and a grant that say nothing special."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, ClassVar

from msgspec.structs import replace

from sayso.core.grant import Grant
from sayso.core.operation import Operation
from sayso.core.plan import NOTHING, CannotUndo, Change, Fact, Plan, Reach, Step
from sayso.core.schema import Asks, Kind, Line, Text, UserPath
from sayso.policy.case import Case
from sayso.policy.grants import Standing, derive_grant
from sayso.policy.settings import Policy

HOME = "/home/ana"
REAL = "/data/ana"
OWN = "/home/ana/.sayso"

POLICY = Policy(
    home=HOME,
    own=OWN,
    real_home=REAL,
    real_own="/data/ana/.sayso",
    roots=("/home/ana/Documents", "/home/ana/Downloads"),
    real_roots=("/data/ana/Documents", "/data/ana/Downloads"),
)
NOW = "2026-11-21T12:00:00.000Z"


async def _move(source: UserPath, destination: UserPath) -> Plan:
    """Move a file or folder."""
    return Plan(f"Move “{source}” to “{destination}”")


async def _delete(path: UserPath) -> Plan:
    """Delete a file or folder."""
    return Plan(f"Delete “{path}”")


async def _write(path: UserPath, content: Text) -> Plan:
    """Write a file."""
    return Plan(f"Write “{path}”")


async def _open(path: UserPath, app: Line | None = None) -> Plan:
    """Open a file."""
    return Plan(f"Open “{path}”")


async def _show(title: Line, message: Line = "") -> Plan:
    """Show a message."""
    return Plan(f"Show “{title}”")


async def _app(name: Line) -> Plan:
    """Do something to an application."""
    return Plan(f"Open {name}")


MOVE = Operation("file.move", "destructive", "mode", _move)
COPY = Operation("file.copy", "write", "mode", _move)
DELETE = Operation("file.delete", "destructive", "floor", _delete)
WRITE = Operation("file.write", "write", "mode", _write)
MKDIR = Operation("file.mkdir", "write", "mode", _delete)
READ = Operation("file.read", "read", "none", _delete, outside=True)
REVEAL = Operation("file.reveal", "read", "none", _delete, reach="home")
OPEN = Operation("file.open", "write", "mode", _open)
NOTIFY = Operation("notify.show", "write", "mode", _show)
APP = Operation("app.open", "write", "mode", _app)
ACTIVATE = Operation("app.activate", "write", "mode", _app)


class Rename(Step, frozen=True):
    """A step with two paths."""

    step: ClassVar[str] = "file.rename"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "files"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str


class Copy(Step, frozen=True):
    """A step that only looks at one of its paths."""

    step: ClassVar[str] = "file.copy"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "files"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    only_read: ClassVar[tuple[str, ...]] = ("source",)
    source: str
    destination: str


class Show(Step, frozen=True):
    """A step of another store that names a path and an application."""

    step: ClassVar[str] = "desktop.open"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    apps: ClassVar[tuple[str, ...]] = ("app",)
    path: str | None = None
    app: str | None = None


class Nameless(Step, frozen=True):
    """A step that forgot to say what it is."""


def operation(kind: str = "write", asks: str = "mode", id: str = "thing.do") -> Operation:  # noqa: A002 - its word
    """Return an operation without arguments; also of a kind that nobody knows."""
    kinds: Any = (kind, asks)
    known: tuple[Kind, Asks] = kinds
    return Operation(id, known[0], known[1], _nothing)


async def _nothing() -> Plan:
    """Do a thing."""
    return Plan("Do a thing")


def a_plan(*steps: Step, **words: Any) -> Plan:
    """Return a plan of these steps, each without a way back; one harmless step when none is given."""
    changes = tuple(Change(step, CannotUndo("nothing to take back")) for step in steps or (Show(),))
    return replace(Plan("Do a thing", changes), **words)


def a_case(operation: Operation = NOTIFY, plan: Plan | None = None, policy: Policy = POLICY, **arguments: Any) -> Case:
    """Return what a rule is asked about."""
    return Case(policy, operation, arguments, a_plan() if plan is None else plan)


def with_policy(**words: Any) -> Policy:
    """Return the settings with some of them changed."""
    return replace(POLICY, **words)


def taking(**parameters: Any) -> Callable[..., Any]:
    """Return a function with these parameters, each a type, or a type and a default."""

    async def function(**given: Any) -> Plan:
        return Plan(str(given))

    hints: dict[str, Any] = {name: one[0] if isinstance(one, tuple) else one for name, one in parameters.items()}
    defaults: dict[str, Any] = {name: one[1] for name, one in parameters.items() if isinstance(one, tuple)}
    function.__annotations__ = hints
    vars(function)["__signature__"] = Signature(
        [Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name, Parameter.empty)) for name in hints]
    )
    return function


FROM, TO = "/data/ana/Documents/a.txt", "/data/ana/Downloads/b.txt"
ARGUMENTS: dict[str, Any] = {"source": "~/Documents/a.txt", "destination": "~/Downloads/b.txt"}
SERVED = Standing((), NOW, {"files": "local"})


def a_move(source: str = FROM, destination: str = TO, *facts: Fact, **words: Any) -> Plan:
    """Return the plan of a move between resolved paths."""
    plan = a_plan(Rename(source, destination), summary=f"Move “{source}” to “{destination}”")
    (change,) = plan.changes
    return replace(plan, changes=(replace(change, expects=facts),), **words)


def a_move_case(policy: Policy = POLICY, plan: Plan | None = None, **arguments: Any) -> Case:
    """Return a move as rules see it, its arguments as they were done but for those named."""
    return Case(policy, MOVE, {**ARGUMENTS, **arguments}, a_move() if plan is None else plan)


def learnt(*vary: str, case: Case | None = None, **members: Any) -> Grant:
    """Return the permission learnt from the move, with these arguments varying."""
    grant = derive_grant(case or a_move_case(), SERVED, vary=vary, seconds=None, uses=None)
    return replace(grant, **{"id": "g1", **members})


def standing(*grants: Grant, **members: Any) -> Standing:
    """Return these permissions as they stand."""
    return replace(SERVED, grants=grants, **members)

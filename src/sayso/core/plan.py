"""A plan: its changes, what each expects and what it may let leave, how to undo it, and its JSON form."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Self, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import Refused, SetupError


class Reach(Struct, frozen=True):
    """What a step may let leave; every class of steps declares one, as `NOTHING`, `UNKNOWN`, `unknown()` or `named()`.

    `fields` are the fields of the step that name the recipients or addresses. If one of them is `UNSET`, nobody knows
    who the recipients are; if all are empty, there is none. `what` says in words what leaves. While the step's field
    `unless` is true, nothing leaves.
    """

    kind: Literal["nothing", "named", "unknown"]
    what: str = ""
    fields: tuple[str, ...] = ()
    unless: str = ""

    def leaving(self, step: Any) -> tuple[str, ...]:
        """Return what may leave when this step is done, one text for each recipient; empty if nothing can."""
        if self.kind == "nothing" or (self.unless and getattr(step, self.unless) is True):
            return ()
        values = [getattr(step, field) for field in self.fields]
        if self.kind == "unknown" or any(value is UNSET for value in values):
            return (self.what if self.kind == "unknown" else f"{self.what} to nobody knows whom",)
        return tuple(f"{self.what} to {name}" for value in values for name in _names(value))

    @property
    def said(self) -> str:
        """Return the declaration in words, for the reference."""
        if self.kind == "nothing":
            return "nothing"
        fields = ", ".join(f"`{field}`" for field in self.fields)
        said = f"{self.what} to whom {fields} names" if fields else f"unknown: {self.what}"
        return f"{said}; nothing if `{self.unless}`" if self.unless else said


NOTHING = Reach("nothing")
"""Nothing that the proposer chose or read leaves the machine by this step."""


def unknown(what: str, unless: str = "") -> Reach:
    """Return the reach of a step of which nobody knows what it lets leave, and to whom; it counts as sending."""
    return Reach("unknown", what, unless=unless)


UNKNOWN = unknown("nobody knows what")


def named(what: str, *fields: str, unless: str = "") -> Reach:
    """Return the reach of a step that tells `what` to the recipients or addresses in these fields of the step."""
    return Reach("named", what, fields, unless)


def _names(value: str | tuple[str, ...]) -> list[str]:
    return [name for name in ((value,) if isinstance(value, str) else value) if name]


class Step(Struct, frozen=True):
    """One request to a backend: a flat, frozen value with a stable name, so that it survives a restart.

    Fields are texts, numbers, booleans, None and tuples of these. `store` names the store whose backend does the step.
    `paths` and `apps` list the fields that policy must check; `only_read` lists the path fields whose target the step
    does not change. `writes` lists the path fields at which something appears or gets new content, and `text_in` names
    the field with that content, if it is text. `hands_over` lists the fields with a path, an address of a file, or a
    text that may contain paths, which the step hands to another program. `watched` says that its backend tells how far
    it has come, and can stop it (`step_watch.py`). `reach` says what the step may let leave the
    machine; a step class without it raises `TypeError`.
    A field that a later version adds is `UNSET` by default, and is then not written, so that older steps keep their
    digest.
    """

    step: ClassVar[str] = ""
    store: ClassVar[str] = ""
    reach: ClassVar[Reach] = UNKNOWN
    paths: ClassVar[tuple[str, ...]] = ()
    only_read: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    hands_over: ClassVar[tuple[str, ...]] = ()
    text_in: ClassVar[str] = ""
    apps: ClassVar[tuple[str, ...]] = ()
    watched: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A class without a name is only a base of steps.
        if "step" in cls.__dict__ and "reach" not in cls.__dict__:
            raise TypeError(f"the step {cls.__name__} must declare its reach: what it may let leave the machine")

    @property
    def leaving(self) -> tuple[str, ...]:
        """Return what may leave the machine when the step is done, one text for each recipient."""
        return self.reach.leaving(self)


class Fact(Struct, frozen=True):
    """One observation about the computer, such as a file's content; `about` names the thing that was observed.

    `owner` names the store whose backend can say whether the fact is still true, whichever store does the step. A kind
    of fact without an owner cannot be defined. A field that a later version adds is `UNSET` by default, and is then
    not written, so that older facts keep their digest.
    """

    fact: ClassVar[str] = ""
    owner: ClassVar[str] = ""
    about: str

    def __init_subclass__(cls) -> None:
        """Raise `TypeError` if the class names a kind of fact but not the store that owns it."""
        super().__init_subclass__()
        if cls.fact and not cls.owner:
            raise TypeError(f"the fact “{cls.fact}” ({cls.__name__}) names no owner: the store that can check it")

    @property
    def key(self) -> tuple[str, str]:
        """Return the kind of fact and the thing it is about; a later fact with the same key replaces this one."""
        return (self.fact, self.about)

    @property
    def for_undo(self) -> Self:
        """Return the fact as an undo expects it: without what a person may well have changed since."""
        return self

    @property
    def answer(self) -> "Answer | None":
        """Return what whoever asked for the step gets back beside the outcome, such as a reply; None if nothing."""
        return None


Facts = tuple[Fact, ...]


def unchecked(*facts: Fact) -> Refused:
    """Return the refusal of a step that expects these facts, which nothing here can check."""
    things = ", ".join(f"“{fact.about}”" for fact in facts)
    why = f"nothing here can check whether {things} is still as it was when this was planned; nothing was done"
    return Refused(why, "fact.unchecked", "facts")


class ResultRef(Fact, frozen=True):
    """A placeholder for a fact of kind `of` about `about`, which will be true once an earlier change is done.

    `change` is the index of that change in its plan, and `action` the index of its action in the run. If `action` is
    None, the change is an earlier one of the same plan.
    """

    fact: ClassVar[str] = "as_left"
    owner: ClassVar[str] = "the fact it stands for"
    of: str
    change: int
    action: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the key of the fact that this placeholder is for."""
        return (self.of, self.about)


class CannotUndo(Struct, frozen=True):
    """Why a change cannot be undone, in one sentence; the person reads it before they approve."""

    why: str


class Change(Struct, frozen=True):
    """One step, the step that undoes it, and the facts that must be true at the moment when the step is done."""

    do: Step
    undo: Step | CannotUndo
    expects: Facts = ()


OnFailure = Literal["undo", "go on"]


class Plan(Struct, frozen=True):
    """What an operation would do. A plan without changes says in its summary why there is nothing to do.

    `loses` lists content that would be lost, and `sends` lists what leaves this machine and to whom; both can only make
    the verdict stricter. `warns` are other sentences that the person should read. `preview` is a text for the card,
    such as a diff. `data` becomes the result's `data` once the plan is done. `warns`, `preview` and `data` are only
    shown and are not part of the digest.
    """

    summary: str
    changes: tuple[Change, ...] = ()
    said_when_done: str = ""
    loses: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    on_failure: OnFailure = "undo"
    asks: bool = False
    """Whether the person must be asked in every mode; `warns` says why."""
    warns: tuple[str, ...] = ()
    preview: str = ""
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def leaving(self) -> tuple[str, ...]:
        """Return what may leave the machine when the plan is done or undone: `sends`, or else what its steps declare.

        It is empty only if no step, and no undo of a step, can let anything leave.
        """
        steps = [change.do for change in self.changes]
        steps += [change.undo for change in self.changes if isinstance(change.undo, Step)]
        return self.sends or tuple(dict.fromkeys(text for step in steps for text in step.leaving))


class Answer(Struct, frozen=True):
    """The result of an operation that only reads. `summary` is journaled; `text` and `data` are not."""

    summary: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    text: str = ""
    shown: Facts = ()
    """The numbered items in the answer, in order.

    Later proposals of the session may use these numbers, until the session is shown newer items of the store (T-97).
    """


class Applied(Struct, frozen=True):
    """The facts after a completed step, including new ids; they are journaled, and an undo of the step expects them."""

    facts: Facts = ()


class NotDone(Struct, frozen=True):
    """The result of a lookup after a crash: the step did not happen."""

    why: str = ""


class CannotTell(Struct, frozen=True):
    """The result of a lookup after a crash: nothing shows whether the step happened."""

    why: str = ""


Settlement = Applied | NotDone | CannotTell


class ChangeRef(Struct, frozen=True):
    """A reference to change `change` of action `action` of a run; it stands for a result that does not exist yet."""

    action: int
    change: int


class NotKept(Step, frozen=True):
    """A step of an action that has ended, without its values, because the settings say that these are not kept.

    `NOT_KEPT` is then the reason why the action cannot be undone.
    """

    step: ClassVar[str] = "not_kept"
    reach: ClassVar[Reach] = NOTHING


NOT_KEPT = "its values were not kept (policy.audit_redact)"


class OpenFile(Step, frozen=True):
    """Open the file or folder at `path` with the application `app`; an empty `app` means the default one."""

    step: ClassVar[str] = "desktop.open_file"
    reach: ClassVar[Reach] = unknown("whatever the program that opens the file loads or sends", unless="passive")
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    hands_over: ClassVar[tuple[str, ...]] = ("path",)
    apps: ClassVar[tuple[str, ...]] = ("app",)
    path: str
    app: str = ""
    passive: bool | UnsetType = UNSET
    """Whether it is a folder with no named `app`, or a file of a type that no program runs or sends anything for."""


class RevealFile(Step, frozen=True):
    """Show the file or folder at `path`, selected, in the file manager."""

    step: ClassVar[str] = "desktop.reveal_file"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str


T = TypeVar("T")


def step_json(step: Step | CannotUndo) -> dict[str, Json]:
    """Return `{"step": name, field: value, …}`, or `{"cannot": why}` if there is no undo."""
    if isinstance(step, CannotUndo):
        return {"cannot": step.why}
    return {"step": step.step, **{name: value for name, value in asdict(step).items() if value is not UNSET}}


def facts_json(facts: Facts) -> dict[str, Json]:
    """Return `{fact: {about: {field: value}}}`."""
    out: dict[str, dict[str, Json]] = {}
    for fact in facts:
        members = {name: value for name, value in asdict(fact).items() if value is not UNSET}
        del members["about"]
        out.setdefault(fact.fact, {})[_about(fact)] = members
    return {**out}


def plan_json(plan: Plan) -> dict[str, Json]:
    """Return everything in a plan that must survive a restart."""
    return {
        "summary": plan.summary,
        "loses": list(plan.loses),
        "sends": list(plan.sends),
        "changes": [_change_json(change) for change in plan.changes],
        "on_failure": plan.on_failure,
        "said_when_done": plan.said_when_done,
        "asks": plan.asks,
        "warns": list(plan.warns),
        "preview": plan.preview,
        "data": dict(plan.data),
    }


def _change_json(change: Change) -> dict[str, Json]:
    return {"do": step_json(change.do), "undo": step_json(change.undo), "expects": facts_json(change.expects)}


def _about(fact: Fact) -> str:
    # One thing may have placeholders for two kinds of facts, but the keys of a JSON object must be unique.
    return f"{fact.of} {fact.about}" if isinstance(fact, ResultRef) else fact.about


class Codec:
    """Reads the JSON of all steps and facts that the installed providers define."""

    def __init__(self, steps: Iterable[type[Step]], facts: Iterable[type[Fact]]) -> None:
        self.steps: Mapping[str, type[Step]] = {step.step: step for step in steps}
        self.facts: Mapping[str, type[Fact]] = {fact.fact: fact for fact in (*facts, ResultRef)}

    @classmethod
    def by_name(cls, steps: Mapping[str, type[Step]], facts: Mapping[str, type[Fact]]) -> "Codec":
        """Return a codec that looks up each step and fact in these mappings when it reads one."""
        codec = cls((), ())
        codec.steps, codec.facts = steps, facts
        return codec

    def step(self, document: Mapping[str, Json]) -> Step | CannotUndo:
        """Read the JSON of `step_json`. Raises `SetupError` if no provider defines the step."""
        if "cannot" in document:
            return CannotUndo(str(document["cannot"]))
        members = dict(document)
        name = str(members.pop("step", ""))
        known = NotKept if name == NotKept.step else self.steps.get(name)
        if known is None:
            raise SetupError(f"no provider here knows the step “{document.get('step')}”", "journal.unknown_step")
        return _read(members, known)

    def facts_of(self, document: Mapping[str, Json]) -> Facts:
        """Read the JSON of `facts_json`. Raises `SetupError` if no provider defines a fact."""
        out: list[Fact] = []
        for name, abouts in document.items():
            known = self.facts.get(name)
            if known is None:
                raise SetupError(f"no provider here knows the fact “{name}”", "journal.unknown_fact")
            for about, members in cast("Mapping[str, Mapping[str, Json]]", abouts).items():
                thing = about.removeprefix(f"{members['of']} ") if known is ResultRef else about
                out.append(_read({**members, "about": thing}, known))
        return tuple(out)

    def left(self, document: Mapping[str, Json] | None) -> Applied:
        """Read the JSON of the facts that were true after a completed step."""
        return Applied(self.facts_of(document or {}))

    def plan(self, document: Mapping[str, Json]) -> Plan:
        """Read the JSON of `plan_json`."""
        rest = {name: value for name, value in document.items() if name != "changes"}
        changes = cast("list[Mapping[str, Mapping[str, Json]]]", document.get("changes", []))
        return Plan(**_plan_fields(rest), changes=tuple(self._change(change) for change in changes))

    def _change(self, document: Mapping[str, Mapping[str, Json]]) -> Change:
        do = self.step(document["do"])
        if isinstance(do, CannotUndo):
            raise SetupError("a change in the journal has no step to do", "journal.damaged")
        return Change(do, self.step(document["undo"]), self.facts_of(document["expects"]))


def _plan_fields(document: Mapping[str, Json]) -> dict[str, Any]:
    return {name: _to_tuple(value) for name, value in document.items() if name in Plan.__struct_fields__}


def _to_tuple(value: Json) -> Json:
    return tuple(cast("list[Json]", value)) if isinstance(value, list) else value


def _read(members: Mapping[str, Json], cls: type[T]) -> T:
    try:
        return msgspec.convert(members, cls)
    except msgspec.ValidationError as damaged:
        raise SetupError(f"the journal holds a damaged {cls.__name__}", "journal.damaged") from damaged

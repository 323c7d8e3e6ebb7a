"""Write steps, facts and plans as JSON and read them back, in the formats of the journal and of outside programs."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.plan import Applied, CannotUndo, Change, Fact, Facts, Plan, ResultRef, Step

T = TypeVar("T")


def step_json(step: Step | CannotUndo) -> dict[str, Json]:
    """Return `{"step": name, field: value, …}`, or `{"cannot": why}` if there is no undo."""
    if isinstance(step, CannotUndo):
        return {"cannot": step.why}
    return {"step": step.step, **asdict(step)}


def facts_json(facts: Facts) -> dict[str, Json]:
    """Return `{fact: {about: {field: value}}}`."""
    out: dict[str, dict[str, Json]] = {}
    for fact in facts:
        members = asdict(fact)
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
    # A plan may refer to one thing by two kinds of facts, but the keys of a JSON object must be unique.
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
        known = self.steps.get(str(members.pop("step", "")))
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
        """Read the facts that a completed step left."""
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

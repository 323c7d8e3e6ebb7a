"""Steps, facts and plans as JSON and back, in the shapes of the journal and the outside interface."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.plan import Applied, CannotUndo, Change, Fact, Facts, Plan, ResultRef, Step

T = TypeVar("T")


def step_json(step: Step | CannotUndo) -> dict[str, Json]:
    """Return `{"step": name, field: value, …}`, or `{"cannot": why}` where there is no way back."""
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
    """Return everything of a plan that must survive a restart."""
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
    # One thing may be referred to under two facts; the key of an object must be one of a kind.
    return f"{fact.of} {fact.about}" if isinstance(fact, ResultRef) else fact.about


class Codec:
    """Knows every step and fact of the providers at hand and reads their JSON back."""

    def __init__(self, steps: Iterable[type[Step]], facts: Iterable[type[Fact]]) -> None:
        self.steps: Mapping[str, type[Step]] = {step.step: step for step in steps}
        self.facts: Mapping[str, type[Fact]] = {fact.fact: fact for fact in (*facts, ResultRef)}

    @classmethod
    def by_name(cls, steps: Mapping[str, type[Step]], facts: Mapping[str, type[Fact]]) -> "Codec":
        """Return a codec that asks these for each step and fact when it is read."""
        codec = cls((), ())
        codec.steps, codec.facts = steps, facts
        return codec

    def step(self, document: Mapping[str, Json]) -> Step | CannotUndo:
        """Read what `step_json` wrote. Raises `SetupError` for a step no provider here knows."""
        if "cannot" in document:
            return CannotUndo(str(document["cannot"]))
        members = dict(document)
        known = self.steps.get(str(members.pop("step", "")))
        if known is None:
            raise SetupError(f"no provider here knows the step “{document.get('step')}”", "journal.unknown_step")
        return _read(members, known)

    def facts_of(self, document: Mapping[str, Json]) -> Facts:
        """Read what `facts_json` wrote. Raises `SetupError` for a fact no provider here knows."""
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
        """Read the facts a done step left."""
        return Applied(self.facts_of(document or {}))

    def plan(self, document: Mapping[str, Json]) -> Plan:
        """Read what `plan_json` wrote."""
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

"""How far a plan reaches: its steps, the places they name, whom it reaches, and what it takes away."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sayso.core.grant import Place, Scope
from sayso.core.plan import AsLeft, Fact, Plan, Step
from sayso.policy.varying import ending_of, is_beside


def scope_of(plan: Plan, backends: Mapping[str, str]) -> Scope:
    """Return how far a plan reaches; ways back reach no further than what they take back."""
    steps = [change.do for change in plan.changes]
    facts = [fact for change in plan.changes for fact in change.expects]
    stores = {step.store for step in steps}
    return Scope(
        steps=_sorted(step.step for step in steps),
        places=tuple(place for step in steps for place in _places(step)),
        apps=_sorted(app for step in steps for app in _named(step, step.apps)),
        sends=_sorted(plan.sends),
        kinds=_sorted(_kind(fact) for fact in facts),
        loses=bool(plan.loses),
        changes=len(plan.changes),
        backends={store: name for store, name in backends.items() if store in stores},
    )


def loosened(scope: Scope, paths: Iterable[str]) -> Scope:
    """Return a scope in which the places that are these paths may be names beside them."""
    names = {path.rpartition("/")[2] for path in paths}
    return replace(scope, places=tuple(_beside(place, names) for place in scope.places))


def further(scope: Scope, plan: Plan, backends: Mapping[str, str]) -> str | None:
    """Say in what a plan reaches further than `scope`; None when it does not."""
    now = scope_of(plan, backends)
    if now.backends != {store: scope.backends.get(store) for store in now.backends}:
        return "another account or backend would do it"
    if not set(now.steps) <= set(scope.steps) or now.changes > scope.changes:
        return "more would be done than was done then"
    if now.loses and not scope.loses:
        return f"something would be gone after it: {plan.loses[0]}"
    if not set(now.sends) <= set(scope.sends):
        return "something else would leave this machine, or it would go to somebody else"
    if not set(now.apps) <= set(scope.apps):
        return "another application is meant"
    if not set(now.kinds) <= set(scope.kinds):
        return "what stands there is of another kind, such as a folder in place of a file"
    strange = next((place for place in now.places if not any(_holds(known, place) for known in scope.places)), None)
    return None if strange is None else f"it leads to another place, “{strange.path}”"


def _places(step: Step) -> list[Place]:
    return [Place(step.step, field, path) for field in step.paths for path in _named(step, (field,))]


def _named(step: Step, fields: Iterable[str]) -> list[str]:
    out: list[str] = []
    for field in fields:
        value = getattr(step, field)
        out += [value] if isinstance(value, str) else list(value or ())
    return out


def _kind(fact: Fact) -> str:
    if isinstance(fact, AsLeft):
        return f"{fact.of} as left"
    kind = getattr(fact, "kind", "")
    return f"{fact.fact} {kind}" if kind else fact.fact


def _beside(place: Place, names: set[str]) -> Place:
    folder, _, name = place.path.rpartition("/")
    return Place(place.step, place.field, folder or "/", ending_of(place.path)) if name in names else place


def _holds(known: Place, place: Place) -> bool:
    if (known.step, known.field) != (place.step, place.field):
        return False
    if known.ending is None:
        return known.path == place.path
    return is_beside(place.path, known.path, known.ending)


def _sorted(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))

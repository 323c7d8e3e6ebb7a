"""Have the facts that a step of another store expects checked by the stores that own them."""

from sayso.core.errors import SaysoError
from sayso.core.plan import Change, Facts, Plan, ResultRef, Step, unchecked
from sayso.core.ports import ChecksFacts, offers
from sayso.runtime.services import Services


def foreign_facts(step: Step, expects: Facts) -> Facts:
    """Return the expected facts that the store of the step does not own, so that it cannot check them itself.

    References to the results of earlier steps are left out: their facts are not known yet.
    """
    return tuple(fact for fact in expects if fact.owner != step.store and not isinstance(fact, ResultRef))


def own_facts(step: Step, expects: Facts) -> Facts:
    """Return the expected facts that the step's own store checks when it does the step; a backend gets no others."""
    return tuple(fact for fact in expects if fact.owner == step.store)


def owners_of(plan: Plan) -> set[str]:
    """Return the stores that own the facts which steps of other stores in the plan expect."""
    return {fact.owner for change in plan.changes for fact in foreign_facts(change.do, change.expects)}


async def untrue_in(tools: Services, *changes: Change) -> SaysoError | None:
    """Return why a foreign fact of these changes is no longer true or cannot be checked; None if all are true."""
    for change in changes:
        problem = await untrue_of(tools, change.do, change.expects)
        if problem is not None:
            return problem
    return None


async def untrue_of(tools: Services, step: Step, expects: Facts) -> SaysoError | None:
    """Return why a foreign fact of one step is no longer true or cannot be checked; None if all are true."""
    foreign = foreign_facts(step, expects)
    for owner in dict.fromkeys(fact.owner for fact in foreign):
        try:
            await _ask_owner(tools, owner, tuple(fact for fact in foreign if fact.owner == owner))
        except SaysoError as problem:
            return problem
    return None


async def _ask_owner(tools: Services, owner: str, facts: Facts) -> None:
    backend = tools.backends.get(owner)
    if backend is None or not offers(backend, ChecksFacts):
        raise unchecked(*facts)
    await backend.check(facts)

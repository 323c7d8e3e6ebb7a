"""Carry out and undo plans on one backend, as the engine would; the suites of backends are built on it."""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from sayso.core.errors import ProposalError, SaysoError
from sayso.core.operation import Operation
from sayso.core.plan import Answer, Applied, CannotUndo, ChangeRef, Codec, Facts, Plan, ResultRef, plan_json
from sayso.core.ports import Backend
from sayso.core.provider import Provider


def wrong(what: str) -> NoReturn:
    """Raise `AssertionError` with this message."""
    raise AssertionError(what)


def equal(found: object, wanted: object, what: str) -> None:
    """Raise `AssertionError` that shows both values when they differ."""
    if found != wanted:
        wrong(f"{what}: {found!r} is not {wanted!r}")


def so(claim: object, what: str) -> None:
    """Raise `AssertionError` when a claim is not true; `what` describes the claim."""
    if not claim:
        wrong(f"it is not so: {what}")


class OperationsById(dict[str, Operation]):
    """Operations by id; the error for an id that is not there says what is probably missing."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        super().__init__((operation.id, operation) for operation in operations)

    def __missing__(self, id_: str) -> NoReturn:
        wrong(f"no operation “{id_}”; if it is new in sayso, run `make reference`")


class Trial:
    """Runs the operations of a provider on one backend."""

    def __init__(self, provider: Provider, backend: Backend) -> None:
        self.backend = backend
        self.seen: Any = backend.reads
        self._provider = provider
        self._operations = OperationsById(provider.operations)
        self._lefts: dict[tuple[int, int], Applied] = {}
        self._imagined = 0

    async def plan(self, operation: str, **arguments: object) -> Plan:
        """Return the plan for an operation.

        The plan must survive being written as JSON. Raises `ProposalError` for arguments that are not valid.
        """
        found = await self._call(self._operations[operation], arguments)
        if isinstance(found, Answer):
            wrong(f"{operation} answers instead of planning")
        codec = Codec(self._provider.steps, self._provider.facts)
        equal(codec.plan(plan_json(found)), found, f"the plan of {operation} as the journal gives it back")
        return found

    async def answer(self, operation: str, **arguments: object) -> Answer:
        """Return the answer of an operation that only reads."""
        found = await self._call(self._operations[operation], arguments)
        if isinstance(found, Plan):
            wrong(f"{operation} plans instead of answering")
        return found

    async def _call(self, operation: Operation, arguments: dict[str, object]) -> Plan | Answer:
        clean, problems = operation.check(arguments)
        if problems:
            raise ProposalError(problems[0].sentence, problems[0].code)
        return await operation.call(dict.fromkeys(operation.stores, self.seen), clean)

    def imagine(self, plan: Plan) -> None:
        """Continue as if the plan were carried out, as a batch does; `do` the plans later in the same order."""
        for number, change in enumerate(plan.changes):
            self.seen = self.backend.imagine(self.seen, change.do, ChangeRef(self._imagined, number))
        self._imagined += 1

    async def do(self, plan: Plan, action: int = 0) -> tuple[Applied, ...]:
        """Carry out a plan as action number `action` of its batch, and return the result of each change."""
        for number, change in enumerate(plan.changes):
            expects = self._resolve_facts(change.expects, action)
            self._lefts[action, number] = await self.backend.apply(change.do, expects)
        self.seen = self.backend.reads
        return tuple(self._lefts[action, number] for number in range(len(plan.changes)))

    def _resolve_facts(self, expects: Facts, action: int) -> Facts:
        facts = list(expects)
        for number, fact in enumerate(facts):
            if isinstance(fact, ResultRef):
                left = self._lefts[action if fact.action is None else fact.action, fact.change]
                facts[number] = next(known for known in left.facts if known.key == fact.key)
        return tuple(facts)

    async def take_back(self, plan: Plan, lefts: Sequence[Applied]) -> None:
        """Undo the changes of a plan, last first, each only if its result has not changed since."""
        for change, left in reversed(list(zip(plan.changes, lefts, strict=True))):
            match change.undo:
                case CannotUndo(why):
                    wrong(f"there is no way back: {why}")
                case step:
                    await self.backend.apply(step, left.facts)


async def refusal_of(trying: Any) -> SaysoError:
    """Await something that must be refused, and return the error that it raised."""
    try:
        await trying
    except SaysoError as no:
        return no
    wrong("it was done, and should have been refused")

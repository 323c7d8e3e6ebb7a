"""Apply rules to an action, and combine their opinions into one verdict."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, cast

from msgspec import Struct, field

from sayso.core.decision import Ruling, Verdict
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.plan import Plan, Step
from sayso.core.quotes import quoted
from sayso.policy.paths import normal
from sayso.policy.settings import Policy

Level = Literal["none", "mode", "floor", "click"]

NOTHING_YET = Plan("")
"""The plan of an action whose operation has not been called yet."""

_RULINGS = ("allow", "ask", "deny")
_LEVELS = ("none", "mode", "click", "floor")


class Case(Struct, frozen=True, dict=True):
    """The action that the rules judge: an operation with its arguments and, after planning, its plan."""

    policy: Policy
    operation: Operation
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    plan: Plan = NOTHING_YET
    exposed: tuple[str, ...] = ()
    """Where the proposer had read text of strangers: parts of its prompt, and operations done in the session."""
    at_once: int = 1
    """The number of actions in the run."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return all steps of the plan, including those that undo its changes."""
        changes = self.plan.changes
        undos = [change.undo for change in changes if isinstance(change.undo, Step)]
        return (*[change.do for change in changes], *undos)

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Return the path arguments as pairs of name and normalized path, including defaults."""
        return tuple(
            [
                (parameter.name, normal(path, self.policy.home))
                for parameter in self.operation.parameters
                if parameter.kind == "path"
                for path in texts(self.arguments.get(parameter.name, parameter.default))
            ]
        )

    @cached_property
    def named(self) -> tuple[tuple[Step, str, str], ...]:
        """Return each path in the steps with its step and field. Raises `ValueError` if one is not normalized."""
        found = [
            (step, name, path) for step in self.steps for name in step.paths for path in texts(getattr(step, name))
        ]
        for _, _, path in found:
            if not path.startswith("/") or "//" in path or "/./" in f"{path}/" or "/../" in f"{path}/":
                raise ValueError("a step's path is absolute and in its normal form")
        return tuple(found)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of arguments and steps, without duplicates."""
        return tuple(dict.fromkeys([path for _, path in self.said] + [path for _, _, path in self.named]))

    @cached_property
    def altered(self) -> tuple[str, ...]:
        """Return the paths that would change: all paths of a destructive operation, otherwise the paths in file steps.

        Paths that a file step only reads are left out.
        """
        destructive = self.operation.kind == "destructive"
        # If the destination exists already, the plan fails, so an existing destination is never changed.
        said = [path for name, path in self.said if name != "destination"] if destructive else []
        changed = [
            path
            for step, name, path in self.named
            if destructive or (step.store == "files" and name not in step.only_read)
        ]
        return tuple(dict.fromkeys(said + changed))

    @cached_property
    def trees(self) -> tuple[str, ...]:
        """Return the paths whose whole tree would be moved, removed or copied."""
        in_files = [path for step, _, path in self.named if step.store == "files"]
        return tuple(dict.fromkeys((*self.altered, *in_files)))

    @cached_property
    def does_nothing(self) -> bool:
        """Return whether the plan has no effect; its summary then says why."""
        return not (self.plan.changes or self.plan.loses or self.plan.sends)


def texts(value: Json) -> Sequence[str]:
    """Return the texts in an argument or a field: one, none, or the items of a list."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return [text for item in cast("Iterable[Json]", value) for text in texts(item)]


class Opinion(Struct, frozen=True):
    """The answer of one rule about a case; a rule without an objection returns None."""

    ruling: Ruling
    because: str
    level: Level
    code: str = ""
    approved_by: str | None = None


Rule = Callable[[Case], Opinion | None]
Rules = Mapping[str, Rule]
"""Rules by name. The first of equally strict answers gives the reason that is shown."""


def deny(because: str, code: str) -> Opinion:
    """Return a refusal with its error code."""
    return Opinion("deny", because, "none", code)


def ask(because: str, level: Level) -> Opinion:
    """Return a question; `level` says whose answer it needs."""
    return Opinion("ask", because, level)


def opinions(rules: Rules, case: Case, leaving_out: Collection[str] = ()) -> list[Verdict]:
    """Return the verdict of each rule that has one, without the rules in `leaving_out`.

    A rule that raises an error counts as a refusal.
    """
    verdicts: list[Verdict] = []
    for name, rule in rules.items():
        if name in leaving_out:
            continue
        try:
            said = rule(case)
        except Exception as fault:  # noqa: BLE001 - an error in judging is a no, whatever it is
            # The message must not reveal what the rule was looking at.
            because = f"the rule {quoted(name)} could not be applied ({type(fault).__name__}), so this is refused"
            said = deny(because, "policy.error")
        if said is not None:
            verdicts.append(Verdict(said.ruling, said.because, name, said.level, said.code, said.approved_by))
    return verdicts


def strictest(verdicts: Sequence[Verdict], otherwise: Verdict) -> Verdict:
    """Return the strictest verdict, the first among equals, or `otherwise` if none is stricter than that."""
    for verdict in verdicts:
        otherwise = stricter(otherwise, verdict)
    return otherwise


def stricter(a: Verdict, b: Verdict) -> Verdict:
    """Return the stricter verdict, or `a` if both are equal.

    Deny is stricter than ask, and ask is stricter than allow; questions are compared by level.
    """
    return b if is_stricter(b, a) else a


def is_stricter(now: Verdict, then: Verdict) -> bool:
    """Return whether `now` permits less than `then`; an unknown ruling or level counts as the strictest."""
    return strictness(now) > strictness(then)


def strictness(verdict: Verdict) -> tuple[int, int]:
    """Return a pair of numbers that is larger for stricter verdicts."""
    ruling = _place(verdict.ruling, _RULINGS)
    return (ruling, _place(verdict.level, _LEVELS) if verdict.ruling == "ask" else 0)


def _place(word: str, order: Sequence[str]) -> int:
    return order.index(word) if word in order else len(order)

"""One opinion per rule, and the strictest of them as the verdict."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, cast

from msgspec import Struct, field

from sayso.core.decision import Ruling, Verdict
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.plan import Plan, Step
from sayso.policy.paths import normal
from sayso.policy.settings import Policy

Level = Literal["none", "mode", "floor", "click"]

NOTHING_YET = Plan("")
"""Stands for the plan before an operation has looked."""

_RULINGS = ("allow", "ask", "deny")
_LEVELS = ("none", "mode", "click", "floor")


class Case(Struct, frozen=True, dict=True):
    """What the rules are asked about: an operation with its arguments and, once it has looked, its plan."""

    policy: Policy
    operation: Operation
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    plan: Plan = NOTHING_YET
    exposed: tuple[str, ...] = ()
    """Where words of strangers came from that the proposer has seen: parts of its prompt, what was read since."""
    at_once: int = 1
    """How many actions the run has."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return every step of the plan, and of its way back."""
        changes = self.plan.changes
        undos = [change.undo for change in changes if isinstance(change.undo, Step)]
        return (*[change.do for change in changes], *undos)

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Return the path arguments by name, in their normal form, defaults included."""
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
        """Return each path of each step, with the step and the field; one that is in no normal form is an error."""
        found = [
            (step, name, path) for step in self.steps for name in step.paths for path in texts(getattr(step, name))
        ]
        for _, _, path in found:
            if not path.startswith("/") or "//" in path or "/./" in f"{path}/" or "/../" in f"{path}/":
                raise ValueError("a step's path is absolute and in its normal form")
        return tuple(found)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Return all of these paths, each once."""
        return tuple(dict.fromkeys([path for _, path in self.said] + [path for _, _, path in self.named]))

    @cached_property
    def altered(self) -> tuple[str, ...]:
        """Return the paths that something happens to: all of a destructive operation, and what file steps change."""
        destructive = self.operation.kind == "destructive"
        # What stands at a destination is not altered: it makes the plan fail.
        said = [path for name, path in self.said if name != "destination"] if destructive else []
        changed = [
            path
            for step, name, path in self.named
            if destructive or (step.store == "files" and name not in step.only_read)
        ]
        return tuple(dict.fromkeys(said + changed))

    @cached_property
    def trees(self) -> tuple[str, ...]:
        """Return the paths whose whole tree moves, goes or is copied."""
        in_files = [path for step, _, path in self.named if step.store == "files"]
        return tuple(dict.fromkeys((*self.altered, *in_files)))

    @cached_property
    def does_nothing(self) -> bool:
        """Say whether the plan only says why nothing is to be done."""
        return not (self.plan.changes or self.plan.loses or self.plan.sends)


def texts(value: Json) -> Sequence[str]:
    """Return the texts in an argument or a field: one, none, or those of a list."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return [text for item in cast("Iterable[Json]", value) for text in texts(item)]


class Opinion(Struct, frozen=True):
    """What one rule has to say; silence is None."""

    ruling: Ruling
    because: str
    level: Level
    code: str = ""
    approved_by: str | None = None


Rule = Callable[[Case], Opinion | None]
Rules = Mapping[str, Rule]
"""Rules by name. Their order decides only whose reason is shown when two are equally strict."""


def deny(because: str, code: str) -> Opinion:
    """Return a no, with the stable word for it."""
    return Opinion("deny", because, "none", code)


def ask(because: str, level: Level) -> Opinion:
    """Return a question and what must answer it."""
    return Opinion("ask", because, level)


def opinions(rules: Rules, case: Case, leaving_out: Collection[str] = ()) -> list[Verdict]:
    """Return what each rule says that says something, without those left out by name; a rule that fails says no."""
    verdicts: list[Verdict] = []
    for name, rule in rules.items():
        if name in leaving_out:
            continue
        try:
            said = rule(case)
        except Exception as fault:  # noqa: BLE001 - an error in judging is a no, whatever it is
            # Without a word of what it was looking at.
            because = f"the rule “{name}” could not be applied ({type(fault).__name__}), so this is refused"
            said = deny(because, "policy.error")
        if said is not None:
            verdicts.append(Verdict(said.ruling, said.because, name, said.level, said.code, said.approved_by))
    return verdicts


def strictest(verdicts: Sequence[Verdict], otherwise: Verdict) -> Verdict:
    """Return the strictest verdict, the first of equals; `otherwise` when there is none stricter than it."""
    for verdict in verdicts:
        otherwise = stricter(otherwise, verdict)
    return otherwise


def stricter(a: Verdict, b: Verdict) -> Verdict:
    """Return the stricter of two verdicts, `a` when they are equal: deny over ask over allow, then by what answers."""
    return b if is_stricter(b, a) else a


def is_stricter(now: Verdict, then: Verdict) -> bool:
    """Say whether `now` allows less than `then`; an unknown word counts as the strictest."""
    return strictness(now) > strictness(then)


def strictness(verdict: Verdict) -> tuple[int, int]:
    """Return a pair that grows with strictness."""
    ruling = _place(verdict.ruling, _RULINGS)
    return (ruling, _place(verdict.level, _LEVELS) if verdict.ruling == "ask" else 0)


def _place(word: str, order: Sequence[str]) -> int:
    return order.index(word) if word in order else len(order)

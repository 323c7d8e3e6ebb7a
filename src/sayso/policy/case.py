"""One opinion per rule, and the strictest of them as the verdict."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeVar, cast

from msgspec import Struct, field

from sayso.core.decision import Ruling, Verdict
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.plan import Plan, Step
from sayso.policy.paths import normal
from sayso.policy.settings import Policy

A = TypeVar("A")
T = TypeVar("T")
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
        undos = tuple(change.undo for change in self.plan.changes if isinstance(change.undo, Step))
        return tuple(change.do for change in self.plan.changes) + undos

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Return the path arguments by name, in their normal form, defaults included."""
        return tuple(
            (parameter.name, normal(path, self.policy.home))
            for parameter in self.operation.parameters
            if parameter.kind == "path"
            for path in texts(self.arguments.get(parameter.name, parameter.default))
        )

    @cached_property
    def named(self) -> tuple[tuple[Step, str, str], ...]:
        """Return each path of each step, with the step and the field; one that is in no normal form is an error."""
        fields = ((step, name) for step in self.steps for name in step.paths)
        found = tuple((step, name, path) for step, name in fields for path in texts(getattr(step, name)))
        for _, _, path in found:
            if not path.startswith("/") or "//" in path or any(part in {".", ".."} for part in path.split("/")):
                raise ValueError("a step's path is absolute and in its normal form")
        return found

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Return all of these paths, each once."""
        return tuple(dict.fromkeys([path for _, path in self.said] + [path for _, _, path in self.named]))

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


Rule = Callable[[Case], Opinion | None]
Rules = Mapping[str, Rule]
"""Rules by name. Their order decides only whose reason is shown when two are equally strict."""


def deny(because: str, code: str) -> Opinion:
    """Return a no, with the stable word for it."""
    return Opinion("deny", because, "none", code)


def ask(because: str, level: Level) -> Opinion:
    """Return a question and what must answer it."""
    return Opinion("ask", because, level)


def opinions(rules: Rules, case: Case) -> list[Verdict]:
    """Return what each rule says that says something; a rule that fails says no."""
    verdicts: list[Verdict] = []
    for name, rule in rules.items():
        said = judge_safely(name, rule, case)
        if isinstance(said, Verdict):
            verdicts.append(said)
        elif said is not None:
            verdicts.append(Verdict(said.ruling, said.because, name, said.level, said.code))
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


def judge_safely(rule: str, judge: Callable[[A], T], about: A) -> T | Verdict:
    """Return what is judged about something, or a no when judging fails, without a word of what it was looking at."""
    try:
        return judge(about)
    except Exception as fault:  # noqa: BLE001 - an error in judging is a no, whatever it is
        because = f"the rule “{rule}” could not be applied ({type(fault).__name__}), so this is refused"
        return Verdict("deny", because, rule, "none", "policy.error")

"""The rules of policy: each may allow, ask or deny, and the strictest answer becomes the verdict."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import get_args

from sayso.core.decision import Verdict
from sayso.core.encoding import Json, canonical
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Asks, Kind, text_problem
from sayso.policy.case import Case, Opinion, Rules, ask, deny, opinions, strictest
from sayso.policy.denylist import IN_HOME
from sayso.policy.grants import NONE_STANDING, Standing, covering
from sayso.policy.paths import find_denied_name, may_be_within, may_hold, same, why_denied, within
from sayso.policy.programs import OBEYED
from sayso.policy.settings import Mode, Policy
from sayso.policy.trail import programs_written

# For each operation, the argument that names an application, and whether the operation opens or quits it in any case.
_NAMED = {
    "app.open": ("name", True),
    "app.quit": ("name", True),
    "app.activate": ("name", False),
    "app.place": ("name", False),
    "file.open": ("app", True),
}


def odd_name(case: Case) -> Opinion | None:
    """Refuse a path, an option or an address in place of an application's name (AP-01)."""
    for name in (*_describe_case(case, always=False), *_opened_apps(case)):
        if _is_odd(name):
            because = f"{quoted(name)} is no application's name; write the name alone, such as TextEdit"
            return deny(because, "app.name")
    return None


def _is_odd(name: str) -> bool:
    return (
        not name.strip()
        or name.startswith(("-", "."))
        or any(mark in name for mark in ("/", "\\", "..", ":"))
        or text_problem(name, "line") is not None
    )


def not_listed(case: Case) -> Opinion | None:
    """Ask if an application is not listed, or refuse the action if the settings are strict (T-31, S0-78)."""
    for name in unlisted_apps(case):
        if case.policy.strict_apps:
            because = (
                f"{quoted(name)} is not among the allowed applications "
                "(allowed_apps), and strict_apps refuses all others"
            )
            return deny(because, "app.not_allowed")
        if not case.does_nothing:
            return ask(f"{quoted(name)} is not among the allowed applications (allowed_apps)", "floor")
    return None


def unlisted_apps(case: Case) -> tuple[str, ...]:
    """Return the applications that would be opened or quit and that are not listed, without duplicates."""
    names = dict.fromkeys((*_describe_case(case, always=True), *_opened_apps(case)))
    return tuple(name for name in names if not is_listed(name, case.policy))


def is_listed(name: str, policy: Policy) -> bool:
    """Return whether an application with this name, compared without regard to case, is allowed."""
    return name.casefold() in {listed.casefold() for listed in policy.allowed_apps}


def _describe_case(case: Case, *, always: bool) -> Iterator[str]:
    if case.operation.id not in _NAMED:
        return
    argument, in_any_case = _NAMED[case.operation.id]
    value = case.arguments.get(argument)
    if isinstance(value, str) and (in_any_case or not always):
        yield value


def _opened_apps(case: Case) -> Iterator[str]:
    for step in case.steps:
        for field in step.apps:
            value = getattr(step, field)
            # An empty name means that the desktop chooses the application that opens a file.
            names = [value] if isinstance(value, str) else value or ()
            yield from (name for name in names if name)


APPS: Rules = {"app_name": odd_name, "allowed_apps": not_listed}


def floor(case: Case) -> Opinion | None:
    """Ask in every mode about a floor operation, unless the settings exempt this operation (T-33, S0-80)."""
    if case.operation.asks != "floor" or case.does_nothing or case.operation.id in case.policy.waive_floor:
        return None
    return ask(f"{case.operation.id} asks in every mode", "floor")


def click(case: Case) -> Opinion | None:
    """Ask in every mode about an operation declared with `asks="click"`, such as a task change (T-35).

    Only the person can approve such a proposal.
    """
    if case.operation.asks != "click" or case.does_nothing:
        return None
    return ask(f"{case.operation.id} asks in every mode, unless it is your own command", "click")


def warning(case: Case) -> Opinion | None:
    """Ask if the operation's plan demands a question."""
    if not case.plan.asks:
        return None
    return ask("; ".join(case.plan.warns) or "there is a reason to look twice", "floor")


_FEW_SOURCES = 4
"""Maximum number of sources of others' text that a question names; `sayso sessions` lists all of them."""


def _seen(exposed: Sequence[str]) -> str:
    """Return where the model read text by others, in words; the same list in two forms is named once."""
    twice = {f"{name}_raw" for name in exposed}
    names = [name.replace("_", " ") for name in exposed if name not in twice]
    few = names if len(names) <= _FEW_SOURCES + 1 else [*names[:_FEW_SOURCES], f"and {len(names) - _FEW_SOURCES} more"]
    return ", ".join(few)


def sends_after_reading(case: Case) -> Opinion | None:
    """Ask about actions that may let something leave, if text of strangers was read in the session (X-08, T-111)."""
    if not case.exposed or not (leaves := case.plan.leaving):
        return None
    leaving = "; ".join(leaves)
    return ask(
        f"the model had read text by others ({_seen(case.exposed)}), and this would leave the machine: {leaving}",
        "floor",
    )


def writes_program(case: Case) -> Opinion | None:
    """Ask about an action that writes into a program, or makes a file one by its name or its first characters."""
    for path, why in programs_written(case.plan):
        kind = "holds instructions, or would" if why == OBEYED else "is a program, or would be one"
        return ask(f"{quoted(show_path(path, case.policy))} {kind}: {why}", "floor")
    return None


def mode(case: Case) -> Opinion | None:
    """Ask according to the mode (S0-81).

    Mode `always` asks about everything except operations that only read, `destructive` about actions that move, delete
    or replace something, and `never` about nothing.
    """
    if case.policy.mode == "never" or case.does_nothing:
        return None
    takes = case.operation.kind == "destructive" or bool(case.plan.loses)
    if case.policy.mode == "destructive":
        return ask("mode “destructive” asks before anything is moved, deleted or replaced", "mode") if takes else None
    return ask("mode “always” asks before everything but reads", "mode") if takes or not _only_reads(case) else None


def _only_reads(case: Case) -> bool:
    return case.operation.kind == "read" and case.operation.asks == "none" and not case.plan.sends


ASKING: Rules = {
    "floor": floor,
    "click": click,
    "warning": warning,
    "outside_text": sends_after_reading,
    "program": writes_program,
    "mode": mode,
}

_OPERATIONS = 1024
"""The size of a cache; it exceeds the number of operations, which is a few hundred."""

_KINDS, _ASKS, _MODES = get_args(Kind), get_args(Asks), get_args(Mode)


def refuse_while_paused(case: Case) -> Opinion | None:
    """Refuse everything while sayso is paused (T-53)."""
    if not case.policy.paused:
        return None
    if case.policy.unreadable:
        return deny(case.policy.why_paused, "policy.paused")
    return deny(
        f"everything is paused, {case.operation.id} too; “sayso resume” lets actions run again", "policy.paused"
    )


def refuse_disabled(case: Case) -> Opinion | None:
    """Refuse operations that `allowed_operations` does not list (T-32, S0-79)."""
    if allows(case.policy, case.operation.id):
        return None
    return deny(
        f"{case.operation.id} is switched off; allowed_operations in the settings does not list it",
        "policy.operation_off",
    )


def allows(policy: Policy, operation: str) -> bool:
    """Return whether the settings allow this operation; this also decides which operations a model is told about.

    An entry is a canonical id or a glob. Globs joined by `&` must all match.
    """
    return _is_listed_operation(policy.allowed_operations, operation)


@lru_cache(_OPERATIONS)
def _is_listed_operation(entries: tuple[str, ...], operation: str) -> bool:
    return any(all(fnmatchcase(operation, glob) for glob in entry.split("&")) for entry in entries)


def too_many(case: Case) -> Opinion | None:
    """Refuse all actions of a run that has more actions than the limit."""
    most = case.policy.limits.actions_per_run
    if case.at_once <= most:
        return None
    return deny(
        f"{case.at_once} actions at once are more than the {most} that actions_per_run allows; none of them runs",
        "limit.actions",
    )


def too_long(case: Case) -> Opinion | None:
    """Refuse an argument that is longer than the limit; it is never shortened."""
    most = case.policy.limits.argument_bytes
    for name, value in case.arguments.items():
        size = _bytes(value)
        if size > most:
            return deny(
                (
                    f"{quoted(name)} of {case.operation.id} has {size} bytes, more "
                    f"than the {most} that argument_bytes allows"
                ),
                "limit.argument",
            )
    return None


def _bytes(value: Json) -> int:
    return len(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else canonical(value))


def refuse_unknown(case: Case) -> Opinion | None:
    """Refuse an operation, settings or a plan with an unknown value, and steps without a name or store.

    The values are the operation's kind, approval rule and reach, the mode, and what happens after a failure.
    """
    operation = case.operation
    for word, value, words in (
        ("a kind", operation.kind, _KINDS),
        ("an approval rule", operation.asks, _ASKS),
        ("a reach", operation.reach, ("roots", "home")),
        ("a mode", case.policy.mode, _MODES),
        ("a way to go on after a failure", case.plan.on_failure, ("undo", "go on")),
    ):
        if value not in words:
            return deny(f"{operation.id} has {word} that sayso does not know: {quoted(value)}", "policy.unknown")
    for step in case.steps:
        if not step.step or not step.store:
            return deny(f"{operation.id} has a step that sayso does not know: {type(step).__name__}", "policy.unknown")
    return None


SWITCHES: Rules = {
    "paused": refuse_while_paused,
    "allowed_operations": refuse_disabled,
    "actions_per_run": too_many,
    "argument_bytes": too_long,
    "known": refuse_unknown,
}


def argument_outside(case: Case) -> Opinion | None:
    """Refuse a path argument outside the roots (S0-77).

    For operations that only show something, paths in the home folder are permitted too (T-30).
    """
    reach = _reach(case, text=True)
    for _, path in case.said:
        if not within(path, reach):
            return _outside(case, path)
    return None


def step_outside(case: Case) -> Opinion | None:
    """Refuse a path in a step that lies outside the permitted folders; links in these paths are already resolved."""
    reach = _reach(case, text=False)
    for _, _, path in case.named:
        if not within(path, reach):
            return _outside(case, path)
    return None


def refuse_denied_names(case: Case) -> Opinion | None:
    """Refuse paths that contain the name of a file that starts programs or holds keys, in every mode (FS-10)."""
    for path in case.paths:
        denied = _find_denied(path, case.policy)
        if denied is not None:
            name, why = denied
            because = (
                f"{quoted(show_path(path, case.policy))} holds the name "
                f"{quoted(name)}, which no action may touch: {why}"
            )
            return deny(because, "path.denied_name")
    return None


def _find_denied(path: str, policy: Policy) -> tuple[str, str] | None:
    name = find_denied_name(path)
    if name is not None:
        return name, why_denied(name)
    for inner, why in IN_HOME.items():
        if may_be_within(path, (f"{policy.home}/{inner}", f"{policy.real_home}/{inner}")):
            return f"~/{inner}", why
    return None


def own_home(case: Case) -> Opinion | None:
    """Refuse access to sayso's own settings, journal and undo data, and to folders that contain them (FS-11)."""
    own = _own(case.policy)
    for path in case.paths:
        if may_be_within(path, own):
            return deny(
                f"{quoted(show_path(path, case.policy))} belongs to sayso itself, which no action may touch",
                "path.own_home",
            )
    for path in case.trees:
        if may_hold(path, own):
            return deny(
                f"{quoted(show_path(path, case.policy))} holds sayso's own folder, which no action may touch",
                "path.own_home",
            )
    return None


def own_program(case: Case) -> Opinion | None:
    """Refuse to change the installed program sayso or a folder that contains it; reading is allowed."""
    program = case.policy.program
    if not program:
        return None
    for path in case.altered if case.operation.kind == "read" else case.paths:
        if may_be_within(path, program):
            because = f"{quoted(show_path(path, case.policy))} belongs to the program sayso, which no action may change"
            return deny(because, "path.own_home")
    for path in case.altered:
        if may_hold(path, program):
            because = f"{quoted(show_path(path, case.policy))} holds the program sayso, which no action may change"
            return deny(because, "path.own_home")
    return None


def root_itself(case: Case) -> Opinion | None:
    """Refuse to move, delete or replace a root or a folder that contains one (T-21, FS-12)."""
    roots = (*case.policy.roots, *case.policy.real_roots)
    for path in case.altered:
        if may_hold(path, roots):
            what = "is" if same(path, roots) else "holds"
            shown = show_path(path, case.policy)
            because = f"{quoted(shown)} {what} one of the folders that actions may reach; it stays where it is"
            return deny(because, "path.is_root")
    return None


def show_path(path: str, policy: Policy) -> str:
    """Return a path as a person writes it, with `~` for the home."""
    for home in (policy.home, policy.real_home):
        if home != "/" and within(path, (home,)):
            return "~" + path[len(home.rstrip("/")) :]
    return path


def _outside(case: Case, path: str) -> Opinion:
    policy = case.policy
    if case.operation.reach == "home":
        return deny(f"{quoted(show_path(path, policy))} lies outside your home folder", "path.outside_roots")
    folders = (
        ", ".join(show_path(root, policy) for root in policy.roots)
        or "none; policy.roots names no folder that is there"
    )
    because = f"{quoted(show_path(path, policy))} lies outside the folders that actions may reach ({folders})"
    return deny(because, "path.outside_roots")


def _reach(case: Case, *, text: bool) -> tuple[str, ...]:
    policy = case.policy
    homes = (policy.real_home, policy.home) if text else (policy.real_home,)
    roots = (*policy.roots, *policy.real_roots) if text else policy.real_roots
    return (*roots, *homes) if case.operation.reach == "home" else roots


def _own(policy: Policy) -> tuple[str, ...]:
    return (policy.own, policy.real_own, *policy.also_own)


CONFINEMENT: Rules = {
    "roots": argument_outside,
    "resolved_roots": step_outside,
    "denied_names": refuse_denied_names,
    "own_home": own_home,
    "own_program": own_program,
    "root_itself": root_itself,
}

RULES: Rules = MappingProxyType({**SWITCHES, **CONFINEMENT, **APPS, **ASKING})
"""All rules by name. A new rule can only make verdicts stricter, because the strictest verdict counts."""

REFUSES_BY_PLAN_ALONE = frozenset({"resolved_roots", *ASKING})
"""Rules that can never refuse an action without a plan: `ASKING` only asks, and `resolved_roots` reads steps.

`admit` leaves them out.
"""

LOOKS_AT_NO_PLAN = frozenset({"paused", "allowed_operations", "actions_per_run", "argument_bytes", "roots"})
"""Rules that do not read the plan; `judge` leaves them out for an admitted action."""

ADMITTED = Verdict("allow", "nothing speaks against it", "default")


def admit(policy: Policy, operation: Operation, arguments: Mapping[str, Json], *, at_once: int = 1) -> Verdict | None:
    """Return a refusal that is certain before the operation is called, or None.

    `at_once` is the number of actions in the run. There is no plan yet, so the rules see no steps, and nothing that
    would be lost or sent.
    """
    case = Case(policy, operation, arguments, at_once=at_once)
    verdict = strictest(opinions(RULES, case, leaving_out=REFUSES_BY_PLAN_ALONE), ADMITTED)
    return verdict if verdict.ruling == "deny" else None


def judge(  # noqa: PLR0913 - the verdict depends on all of these; callers pass most of them by keyword
    policy: Policy,
    operation: Operation,
    plan: Plan,
    *,
    arguments: Mapping[str, Json],
    exposed: tuple[str, ...] = (),
    standing: Standing = NONE_STANDING,
    admitted: bool = False,
) -> Verdict:
    """Return allow, ask or deny for a plan, with the name of the rule and a reason.

    `admitted` means that `admit` returned None for the same arguments and policy. Otherwise the rules of `admit` apply
    again, because sayso may have been paused or settings may have changed before an approved action starts. A grant can
    answer a question of level `mode` and no other.
    """
    case = Case(policy, operation, arguments, plan, exposed)
    verdict = strictest(opinions(RULES, case, leaving_out=LOOKS_AT_NO_PLAN if admitted else ()), ADMITTED)
    if verdict.ruling != "ask" or verdict.level != "mode":
        return verdict
    granted = opinions({"grants": lambda case: _covered_by_grant(case, standing)}, case)
    return granted[0] if granted else verdict


def _covered_by_grant(case: Case, standing: Standing) -> Opinion | None:
    """Allow an action that a grant of the person covers."""
    grant = covering(case, standing)
    if grant is None:
        return None
    because = f"your standing permission {grant.id} covers it: {case.plan.summary}"
    return Opinion("allow", because, "none", approved_by=f"grant:{grant.id}")

"""What a careful person would write who wanted one function to judge a plan, with a reason, and nothing else."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from sayso.core.operation import Operation
from sayso.core.plan import Plan, Step
from sayso.policy.denylist import DENIED
from sayso.policy.paths import fold_name
from sayso.policy.settings import Policy

NAMES = frozenset(name for name in DENIED if "/" not in name and "*" not in name)
STARTS = tuple(name[:-1] for name in DENIED if "/" not in name and name.endswith("*"))
ENDS = tuple(name[1:] for name in DENIED if "/" not in name and name.startswith("*"))
PAIRS = tuple(name for name in DENIED if "/" in name)


def judged(policy: Policy, operation: Operation, plan: Plan, arguments: Mapping[str, str]) -> tuple[str, str]:
    """Return a ruling and its reason."""
    if policy.paused:
        return "deny", "everything is paused"
    if not any(fnmatchcase(operation.id, glob) for glob in policy.allowed_operations):
        return "deny", f"{operation.id} is switched off"
    for value in arguments.values():
        if len(value.encode()) > policy.limits.argument_bytes:
            return "deny", "an argument is too long"
    steps = [change.do for change in plan.changes] + [
        change.undo for change in plan.changes if isinstance(change.undo, Step)
    ]
    said = [policy.home + path[1:] if path.startswith("~") else path for path in arguments.values()]
    named = [getattr(step, field) for step in steps for field in step.paths]
    own = [place + "/" for place in (policy.own, policy.real_own, *policy.also_own, *policy.program)]
    roots = [place + "/" for place in (*policy.roots, *policy.real_roots)]
    for path in (*said, *named):
        why = _path_problem(path, own, roots)
        if why:
            return "deny", f"“{path}” {why}"
    if operation.asks == "floor" and operation.id not in policy.waive_floor:
        return "ask", f"{operation.id} asks in every mode"
    if plan.asks:
        return "ask", "; ".join(plan.warns)
    if policy.mode != "never" and (operation.kind == "destructive" or plan.loses):
        return "ask", f"mode “{policy.mode}” asks before anything is moved, deleted or replaced"
    return "allow", "nothing speaks against it"


def _path_problem(path: str, own: list[str], roots: list[str]) -> str:
    parts = path.split("/")
    if not path.startswith("/") or ".." in parts or "." in parts or "" in parts[1:]:
        return "is not in its normal form"
    whole = path + "/"
    if not any(whole.startswith(root) for root in roots):
        return "lies outside the folders that actions may reach"
    names = path.lower().split("/")[1:] if path.isascii() else [fold_name(part) for part in parts[1:]]
    for name in names:
        if name in NAMES or name.startswith(STARTS) or name.endswith(ENDS):
            return f"holds the name “{name}”"
    small = "/".join(["", *names, ""])
    if any(f"/{pair}/" in small for pair in PAIRS):
        return "holds names that no action may touch"
    for place in own:
        if small.startswith(place) or place.startswith(small):
            return "belongs to sayso"
    if any(root.startswith(whole) for root in roots):
        return "is one of the folders that actions may reach"
    return ""

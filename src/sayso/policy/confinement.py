"""The rules about paths: in arguments as text, and in steps once links are resolved."""

from collections.abc import Iterator

from sayso.policy.names import IN_HOME
from sayso.policy.opinions import Case, Opinion, Rules, deny
from sayso.policy.paths import denied_name, may_be_within, same, why_denied, within
from sayso.policy.settings import Policy

# What a step of the files store only looks at; everything else it names is made, altered or taken away.
_LOOKED_AT = frozenset({("file.copy", "source")})


def argument_outside(case: Case) -> Opinion | None:
    """Refuse a path that as it was said lies in no root, nor in the home for what only shows (S0-77, T-30)."""
    reach = _reach(case, text=True)
    for _, path in case.said:
        if not within(path, reach):
            return _outside(case, path)
    return None


def step_outside(case: Case) -> Opinion | None:
    """Refuse a path that lies elsewhere once its links are resolved."""
    reach = _reach(case, text=False)
    for _, _, path in case.named:
        if not within(path, reach):
            return _outside(case, path)
    return None


def denied_by_name(case: Case) -> Opinion | None:
    """Refuse names that start programs or hold keys, in every mode (FS-10)."""
    for path in case.paths:
        denied = _denied(path, case.policy)
        if denied is not None:
            name, why = denied
            because = f"“{shown(path, case.policy)}” holds the name “{name}”, which no action may touch: {why}"
            return deny(because, "path.denied_name")
    return None


def _denied(path: str, policy: Policy) -> tuple[str, str] | None:
    name = denied_name(path)
    if name is not None:
        return name, why_denied(name)
    for inner, why in IN_HOME.items():
        if may_be_within(path, (f"{home}/{inner}" for home in (policy.home, policy.real_home))):
            return f"~/{inner}", why
    return None


def own_home(case: Case) -> Opinion | None:
    """Refuse what reaches sayso's own settings, journal and kept files, or takes them along (FS-11)."""
    own = _own(case.policy)
    for path in case.paths:
        if may_be_within(path, own):
            return deny(
                f"“{shown(path, case.policy)}” belongs to sayso itself, which no action may touch", "path.own_home"
            )
    for path in _taken_along(case):
        if any(may_be_within(folder, (path,)) for folder in own):
            return deny(
                f"“{shown(path, case.policy)}” holds sayso's own folder, which no action may touch", "path.own_home"
            )
    return None


def own_program(case: Case) -> Opinion | None:
    """Refuse to change the program that judges here; reading it does no harm."""
    program = case.policy.program
    if not program:
        return None
    reads = case.operation.kind == "read"
    for path in _altered(case) if reads else case.paths:
        if may_be_within(path, program):
            because = f"“{shown(path, case.policy)}” belongs to the program sayso, which no action may change"
            return deny(because, "path.own_home")
    for path in _altered(case):
        if any(may_be_within(folder, (path,)) for folder in program):
            because = f"“{shown(path, case.policy)}” holds the program sayso, which no action may change"
            return deny(because, "path.own_home")
    return None


def root_itself(case: Case) -> Opinion | None:
    """Refuse to move, delete or replace a folder that actions may reach (T-21, FS-12)."""
    roots = (*case.policy.roots, *case.policy.real_roots)
    for path in _altered(case):
        if same(path, roots):
            because = f"“{shown(path, case.policy)}” is one of the folders that actions may reach; it stays where it is"
            return deny(because, "path.is_root")
        if any(may_be_within(root, (path,)) for root in roots):
            because = (
                f"“{shown(path, case.policy)}” holds one of the folders that actions may reach; it stays where it is"
            )
            return deny(because, "path.is_root")
    return None


def shown(path: str, policy: Policy) -> str:
    """Return a path as a person writes it, with `~` for the home."""
    for home in (policy.home, policy.real_home):
        if home != "/" and within(path, (home,)):
            return "~" + path[len(home.rstrip("/")) :]
    return path


def _outside(case: Case, path: str) -> Opinion:
    policy = case.policy
    if case.operation.reach == "home":
        return deny(f"“{shown(path, policy)}” lies outside your home folder", "path.outside_roots")
    folders = ", ".join(shown(root, policy) for root in policy.roots) or "none; policy.roots in the settings is empty"
    because = f"“{shown(path, policy)}” lies outside the folders that actions may reach ({folders})"
    return deny(because, "path.outside_roots")


def _reach(case: Case, *, text: bool) -> tuple[str, ...]:
    policy = case.policy
    homes = (policy.real_home, policy.home) if text else (policy.real_home,)
    roots = (*policy.roots, *policy.real_roots) if text else policy.real_roots
    return (*roots, *homes) if case.operation.reach == "home" else roots


def _own(policy: Policy) -> tuple[str, ...]:
    return (policy.own, policy.real_own, *policy.also_own)


def _altered(case: Case) -> Iterator[str]:
    """Yield the paths that something happens to: all of a destructive operation, and what file steps change."""
    if case.operation.kind == "destructive":
        # What stands at a destination is not altered: it makes the plan fail.
        yield from (path for name, path in case.said if name != "destination")
    for step, name, path in case.named:
        changes = step.store == "files" and (step.step, name) not in _LOOKED_AT
        if changes or case.operation.kind == "destructive":
            yield path


def _taken_along(case: Case) -> Iterator[str]:
    """Yield the paths whose whole tree moves, goes or is copied."""
    yield from _altered(case)
    yield from (path for step, _, path in case.named if step.store == "files")


CONFINEMENT: Rules = {
    "roots": argument_outside,
    "resolved_roots": step_outside,
    "denied_names": denied_by_name,
    "own_home": own_home,
    "own_program": own_program,
    "root_itself": root_itself,
}

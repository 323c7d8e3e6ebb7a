"""The trail of a batch and of a session: which files earlier actions wrote, and which steps hand these to a program."""

import posixpath
from collections.abc import Collection, Iterable, Iterator

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.plan import Plan, Step
from sayso.policy.case import texts
from sayso.policy.paths import may_be_within
from sayso.policy.programs import HEAD, keeps_kind, why_program
from sayso.policy.settings import Policy


def written_by(plan: Plan) -> tuple[str, ...]:
    """Return the paths at which a plan makes something appear or changes content."""
    return tuple([path for change in plan.changes for path in _values(change.do, change.do.writes)])


def hands_over(plan: Plan) -> bool:
    """Return whether a step of the plan hands a file, or what may name one, to another program.

    A text without a slash, also after `%2F` is read, names no file by its path.
    """
    steps = [change.do for change in plan.changes]
    values = [value for step in steps for value in _values(step, step.hands_over)]
    return any("/" in value or "%2f" in value.lower() for value in values)


def handed_over(plan: Plan, written: Collection[str], policy: Policy) -> tuple[str, ...]:
    """Return the paths in `written`, or written by an earlier step of the plan, that the plan hands to a program.

    A folder that is opened with a named application hands over what was written in it.
    """
    trail, found = dict.fromkeys(written), dict[str, None]()
    for change in plan.changes:
        step = change.do
        for field in step.hands_over:
            for value in _values(step, [field]):
                found |= dict.fromkeys(_named_in(value, trail, policy, is_path=field in step.paths))
                if any(_values(step, step.apps)):
                    found |= dict.fromkeys([path for path in trail if may_be_within(path, (value,))])
        trail |= dict.fromkeys(_values(change.do, change.do.writes))
    return tuple(found)


def _values(step: Step, fields: Iterable[str]) -> Iterator[str]:
    for field in fields:
        value: Json = getattr(step, field)
        yield from texts(value)


def _named_in(value: str, trail: Collection[str], policy: Policy, *, is_path: bool) -> Iterator[str]:
    """Yield the written path that a value leads to, or all those that it contains if it is a text with other words."""
    path = value if value.startswith("/") else _path_of(value)
    if path and may_be_within(path, trail):
        yield path
        return
    if is_path:
        return
    said = _unquote(value)
    for written in trail:
        if any(name in said for name in _names(written, policy)):
            yield written


def _path_of(address: str) -> str:
    """Return the path in the address of a file; empty for any other text."""
    scheme, _, rest = address.strip().partition(":")
    if scheme.lower() != "file":
        return ""
    rest = rest.partition("#")[0].partition("?")[0]
    if rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2]
    return posixpath.normpath(_unquote(rest))


def _unquote(text: str) -> str:
    # The module is imported only here: every command imports this one, and few actions hand over an address.
    return load("urllib.parse:unquote")(text)


def _names(path: str, policy: Policy) -> Iterator[str]:
    yield path
    for home in (policy.home, policy.real_home):
        if home != "/" and path.startswith(f"{home}/"):
            yield f"~{path[len(home) :]}"


def programs_written(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the path of each program that the plan writes into or makes, with why it is one."""
    for change in plan.changes:
        for path in _values(change.do, change.do.writes):
            why = _why_program(change.do, path)
            if why is not None:
                yield path, why


def _why_program(step: Step, path: str) -> str | None:
    already: object = getattr(step, "runs", "")
    if already and isinstance(already, str):
        return already
    sources = _values(step, [field for field in step.paths if field not in step.writes])
    if any(why_program(source) and keeps_kind(source, path) for source in sources):
        return None  # it was the same kind of program by its name before
    head: str = getattr(step, step.text_in)[:HEAD] if step.text_in and not getattr(step, "append", False) else ""
    return why_program(path, head.encode("utf-8", "replace"))

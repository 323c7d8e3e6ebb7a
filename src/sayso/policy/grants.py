"""Standing permissions: which actions one covers, and how one is made from an approved action."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.encoding import Json, canonical, digest
from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.grant import Grant, GrantPath, Scope, VariableArgument
from sayso.core.lazy import load
from sayso.core.operation import Operation, Parameter
from sayso.core.plan import Fact, Plan, ResultRef, Step
from sayso.core.quotes import quoted
from sayso.policy.case import Case
from sayso.policy.paths import normal
from sayso.policy.settings import Policy

FORMER = "sha256:"
"""The start of definition digests in old grants; current ones start with the operation's version."""

_PROSE = frozenset({"description", "title", "examples"})
"""JSON Schema keywords that only explain; a change to their texts does not end a grant."""


def definition(operation: Operation) -> str:
    """Return version and digest of an operation, `v1 sha256:…`; a grant is valid only while they stay the same."""
    return f"v{operation.version} {digest(visible_definition(operation))}"


def visible_definition(operation: Operation) -> Mapping[str, Json]:
    """Return the declaration of an operation as data, without its code, module or docstring."""
    return {
        "id": operation.id,
        "kind": operation.kind,
        "asks": operation.asks,
        "outside": operation.outside,
        "reach": operation.reach,
        "stores": sorted(operation.stores),
        "parameters": {parameter.name: _parameter(parameter) for parameter in operation.parameters},
    }


def is_same(remembered: str, operation: Operation) -> bool:
    """Return whether an operation is still the one for which a grant was given.

    Grants from before operations had versions contain another kind of digest. Such a digest is accepted only for
    version 1 of a shipped operation, and only if it is in the list of former digests. Otherwise nothing shows that the
    operation is still the same, and the grant is not valid.
    """
    if not remembered.startswith(FORMER):
        return remembered == definition(operation)
    recorded = cast("Mapping[str, str]", load("sayso.policy.former_definitions:DIGESTS"))
    return operation.version == 1 and recorded.get(remembered) == operation.id


def _parameter(parameter: Parameter) -> Json:
    members: dict[str, Json] = {"kind": parameter.kind, "schema": _without_prose(parameter.schema)}
    return members if parameter.required else {**members, "default": parameter.default}


def _without_prose(schema: Json) -> Json:
    if isinstance(schema, Mapping):
        members = cast("Mapping[str, Json]", schema)
        return {name: _keyword(name, value) for name, value in members.items() if name not in _PROSE}
    if isinstance(schema, list):
        return [_without_prose(item) for item in cast("Sequence[Json]", schema)]
    return schema


def _keyword(name: str, value: Json) -> Json:
    if name == "properties" and isinstance(value, Mapping):  # its keys are names of members, not keywords
        return {member: _without_prose(schema) for member, schema in cast("Mapping[str, Json]", value).items()}
    return value if name in {"default", "enum", "const"} else _without_prose(value)


WORDING = frozenset({"title", "subject"})
"""One-line arguments that only name a new thing and do not select a thing, a person or a place."""

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?P<port>[0-9]{1,5}))?(?:[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""Matches addresses that all browsers parse alike: no user name or password, no backslash, only ASCII in the host."""


def derive_bound(parameter: Parameter, value: Json, home: str) -> VariableArgument | None:
    """Return the limits within which this argument may vary, given its value; None if it must stay the same.

    A path may vary among names in the same folder with the same ending, and an address within the same site. A title,
    text or time may have any other value.
    """
    if not isinstance(value, str):
        return None
    if parameter.kind == "path":
        folder, name = posixpath.split(_path(value, home))
        return VariableArgument(parameter.name, "folder", folder, _ending(name)) if name else None
    if parameter.name == "url":
        site = site_of(value)
        return VariableArgument(parameter.name, "site", site) if site else None
    if parameter.kind in {"text", "when"} or (parameter.kind == "line" and parameter.name in WORDING):
        return VariableArgument(parameter.name, "any")
    return None


def keeps_within(varies: VariableArgument, value: Json, home: str) -> bool:
    """Return whether a value is within the limits of a variable argument."""
    if not isinstance(value, str):
        return False
    if varies.within == "folder":
        folder, name = posixpath.split(_path(value, home))
        return folder == varies.of and bool(name) and _ending(name) == varies.ending
    if varies.within == "site":
        return site_of(value) == varies.of != ""
    return varies.within == "any"


def site_of(address: str) -> str:
    """Return scheme, host and port of a web address; an empty text if the address is not a plain one."""
    found = _ADDRESS.match(address.strip())
    if found is None:
        return ""
    scheme, host, port = found["scheme"].lower(), found["host"].lower(), found["port"]
    usual = {"http": "80", "https": "443"}[scheme]
    return f"{scheme}://{host}" + ("" if port in {None, usual} else f":{port}")


def is_beside(path: str, folder: str, ending: str) -> bool:
    """Return whether a path is directly in a folder and its name has this ending."""
    above, name = posixpath.split(path)
    return above == folder and bool(name) and _ending(name) == ending


def ending_of(path: str) -> str:
    """Return the ending that other names must share with this path's name."""
    return _ending(posixpath.basename(path))


def variable(
    parameters: Mapping[str, Parameter], arguments: Mapping[str, Json], home: str
) -> dict[str, VariableArgument]:
    """Return the arguments that could vary, each with its limits, by name."""
    found = {
        name: derive_bound(parameters[name], value, home) for name, value in arguments.items() if name in parameters
    }
    return {name: varies for name, varies in found.items() if varies is not None}


def _path(value: str, home: str) -> str:
    try:
        return normal(value, home)
    except ProposalError:
        return ""


def _ending(name: str) -> str:
    """Return the ending of a name with its dot; for a hidden name, the result starts with one more dot."""
    hidden = "." if name.startswith(".") else ""
    return hidden + posixpath.splitext(name)[1]


def scope_of(plan: Plan, backends: Mapping[str, str]) -> Scope:
    """Return the reach of a plan; undo steps are ignored, as they never reach further than the changes they undo."""
    steps = [change.do for change in plan.changes]
    facts = [fact for change in plan.changes for fact in change.expects]
    stores = {step.store for step in steps}
    return Scope(
        steps=_sort_texts(step.step for step in steps),
        places=tuple(place for step in steps for place in _places(step)),
        apps=_sort_texts(app for step in steps for app in _paths_of(step, step.apps)),
        sends=_sort_texts(plan.sends),
        kinds=_sort_texts(_kind(fact) for fact in facts),
        loses=bool(plan.loses),
        changes=len(plan.changes),
        backends={store: name for store, name in backends.items() if store in stores},
    )


def loosen_scope(scope: Scope, paths: Iterable[str]) -> Scope:
    """Return the scope in which each of these paths may be another name in the same folder with the same ending."""
    names = {path.rpartition("/")[2] for path in paths}
    return replace(scope, places=tuple(_beside(place, names) for place in scope.places))


def further(scope: Scope, plan: Plan, backends: Mapping[str, str]) -> str | None:
    """Return in which respect a plan reaches further than `scope`; None if it does not."""
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
        return "what is there is of another kind, such as a folder in place of a file"
    strange = next((place for place in now.places if not any(_holds(known, place) for known in scope.places)), None)
    return None if strange is None else f"it leads to another place, {quoted(strange.path)}"


def _places(step: Step) -> list[GrantPath]:
    return [GrantPath(step.step, field, path) for field in step.paths for path in _paths_of(step, (field,))]


def _paths_of(step: Step, fields: Iterable[str]) -> list[str]:
    out: list[str] = []
    for name in fields:
        value = getattr(step, name)
        out += [value] if isinstance(value, str) else list(value or ())
    return out


def _kind(fact: Fact) -> str:
    if isinstance(fact, ResultRef):
        return f"{fact.of} as left"
    kind = getattr(fact, "kind", "")
    return f"{fact.fact} {kind}" if kind else fact.fact


def _beside(place: GrantPath, names: set[str]) -> GrantPath:
    folder, _, name = place.path.rpartition("/")
    return GrantPath(place.step, place.field, folder or "/", ending_of(place.path)) if name in names else place


def _holds(known: GrantPath, place: GrantPath) -> bool:
    if (known.step, known.field) != (place.step, place.field):
        return False
    if known.ending is None:
        return known.path == place.path
    return is_beside(place.path, known.path, known.ending)


def _sort_texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))


CLOCK_SLACK = timedelta(minutes=5)
"""How far the clock may have been set back before a permission counts as not yet valid (CR-05)."""

ALWAYS_ASKS = frozenset({"floor", "click"})


class Standing(Struct, frozen=True):
    """The standing permissions at one moment, and what would carry out the action that they are compared with."""

    grants: Sequence[Grant] = ()
    now: str = ""
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    """The backend and account that would serve each store."""
    handler: str | None = None
    """The hash of the handler's code, if the action is one of the person's own."""


NONE_STANDING = Standing()


def covering(case: Case, standing: Standing) -> Grant | None:
    """Return the first permission that is valid now and covers this action."""
    for grant in standing.grants:
        if over(grant, case.policy, standing.now) is None and why_not(grant, case, standing) is None:
            return grant
    return None


def over(grant: Grant, policy: Policy, now: str) -> str | None:
    """Return in one or two words why a permission is not valid now; None if it is. Unreadable times make it invalid."""
    if grant.revoked:
        return "revoked"
    if grant.most_uses is not None and grant.uses >= grant.most_uses:
        return "used up"
    try:
        moment, given = _read(now), _read(grant.created)
        # A shorter `grant_expires` also shortens permissions that exist already.
        end = min(_read(grant.expires), given + timedelta(seconds=policy.grant_expires))
    except (ValueError, TypeError, OverflowError):
        return "unreadable"
    if moment < given - CLOCK_SLACK:
        return "not begun"
    return None if moment < end else "expired"


def why_not(grant: Grant, case: Case, standing: Standing) -> str | None:
    """Return why a permission does not cover an action; None if it does."""
    for check in _CHECKS:
        why = check(grant, case, standing)
        if why is not None:
            return why
    return None


def by_part_of_name(case: Case) -> bool:
    """Return whether something would be removed that was found by only part of its name.

    For an action that destroys something, each one-line argument must appear in quotes in the plan's summary or losses,
    or be an id in the plan's data.
    """
    if case.operation.kind != "destructive" and not case.plan.loses:
        return False
    told, ids = (case.plan.summary, *case.plan.loses), case.plan.data.values()
    names = [parameter.name for parameter in case.operation.parameters if parameter.kind == "line"]
    values = [value for name in names if isinstance(value := case.arguments.get(name), str)]
    return any(value not in ids and not any(quoted(value) in text for text in told) for value in values)


def _other_operation(grant: Grant, case: Case, standing: Standing) -> str | None:
    operation = case.operation
    if grant.operation != operation.id:
        return f"it is for {grant.operation}"
    if operation.asks in ALWAYS_ASKS:
        return f"{operation.id} always asks"
    if not is_same(grant.definition, operation) or grant.handler != standing.handler:
        return f"{operation.id} was changed since this was given"
    return None


def _other_home(grant: Grant, case: Case, _standing: Standing) -> str | None:
    policy = case.policy
    if grant.home != policy.real_own:
        return "it was given in another home"
    # In mode “always”, a permission is valid only if it was given with the same settings.
    if policy.mode == "always" and grant.policy != policy.hash:
        return "mode “always” was chosen since, or settings were changed under it"
    return None


def _other_arguments(grant: Grant, case: Case, _standing: Standing) -> str | None:
    """Return which argument is not covered; values are compared as JSON, so that `true` is not 1."""
    arguments = case.arguments
    varying = {varies.argument: varies for varies in grant.varies}
    for name, value in grant.fixed.items():
        if name not in arguments or canonical(arguments[name]) != canonical(value):
            return f"{quoted(name)} is not as it was"
    for name, varies in varying.items():
        if name not in arguments or not keeps_within(varies, arguments[name], case.policy.home):
            return f"{quoted(name)} is not within what may vary"
    more = next((name for name in arguments if name not in grant.fixed and name not in varying), None)
    return None if more is None else f"{quoted(more)} was not given then"


def _other_reach(grant: Grant, case: Case, standing: Standing) -> str | None:
    if by_part_of_name(case):
        return "it takes away something that was found by a part of its name"
    return further(grant.scope, case.plan, standing.backends)


_CHECKS: tuple[Callable[[Grant, Case, Standing], str | None], ...] = (
    _other_operation, _other_home, _other_arguments, _other_reach,
)  # fmt: skip


def _read(moment: str) -> datetime:
    read = datetime.fromisoformat(moment)
    if read.tzinfo is None:
        raise ValueError("a moment has a time zone")
    return read


LONGEST_FIXED = 65_536
"""The largest size in bytes of one argument that a permission stores."""


def never(case: Case, verdict: Verdict | None) -> Refused | None:
    """Return why no standing permission can ever cover this action; None if one can."""
    operation = case.operation
    if operation.asks in ALWAYS_ASKS:
        sentence = f"{operation.id} always asks; no standing permission covers it"
        return Refused(sentence, "grant.not_possible", "grants")
    if verdict is None or verdict.level != "mode":
        because = verdict.because if verdict is not None and verdict.ruling == "ask" else "nothing was asked about it"
        sentence = f"no standing permission covers what was asked there: {because}"
        return Refused(sentence, "grant.not_possible", "grants")
    if by_part_of_name(case):
        sentence = f"{operation.id} takes away what was found by a part of its name, and that is always asked"
        return Refused(sentence, "grant.not_possible", "grants")
    return None


def derive_grant(
    case: Case, standing: Standing, *, vary: Sequence[str], seconds: int | None, uses: int | None
) -> Grant:
    """Return a new permission with an empty id. Raises `SetupError` for an argument that cannot vary.

    `seconds` is how long it is valid; the value in the settings is the default and the maximum. `uses` is the number of
    uses, or None for any number.
    """
    arguments, policy, operation = case.arguments, case.policy, case.operation
    varies = _varies(operation, arguments, policy.home, vary)
    fixed = {name: value for name, value in arguments.items() if name not in varies}
    _must_be_short(fixed)
    paths = [
        normal(cast("str", arguments[one.argument]), policy.home) for one in varies.values() if one.within == "folder"
    ]
    begin = datetime.fromisoformat(standing.now)
    return Grant(
        id="",
        operation=operation.id,
        fixed=fixed,
        expires=_write_moment(begin + timedelta(seconds=_length(seconds, policy.grant_expires))),
        created=standing.now,
        varies=tuple(varies.values()),
        scope=loosen_scope(scope_of(case.plan, standing.backends), paths),
        definition=definition(operation),
        handler=standing.handler,
        home=policy.real_own,
        policy=policy.hash,
        most_uses=uses,
    )


def could_vary(case: Case) -> tuple[VariableArgument, ...]:
    """Return the arguments of an action that the person could let vary, each with its limits."""
    parameters = {parameter.name: parameter for parameter in case.operation.parameters}
    return tuple(variable(parameters, case.arguments, case.policy.home).values())


def offer_digest(grant: Grant, seconds: int | None) -> str:
    """Return the digest to which a yes is bound: what the permission allows, without its id, times and giver."""
    scope = grant.scope
    return digest(
        [
            grant.operation, dict(grant.fixed),
            [[one.argument, one.within, one.of, one.ending] for one in grant.varies],
            list(scope.steps), [[one.step, one.field, one.path, one.ending] for one in scope.places],
            list(scope.apps), list(scope.sends), list(scope.kinds), scope.loses, scope.changes, dict(scope.backends),
            grant.definition, grant.handler, grant.home, grant.policy, grant.learnt_from, seconds, grant.most_uses,
        ]
    )  # fmt: skip


def _varies(
    operation: Operation, arguments: Mapping[str, Json], home: str, vary: Sequence[str]
) -> dict[str, VariableArgument]:
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    can = variable(parameters, arguments, home)
    for name in vary:
        if name not in parameters:
            sentence = f"{operation.id} does not take {quoted(name)}; it takes {', '.join(parameters)}"
            raise SetupError(sentence, "grant.unknown_argument")
        if name not in can:
            rest = f"; what may vary is {', '.join(can)}" if can else ""
            raise SetupError(f"{quoted(name)} stays as it was: it says what or whom this is about{rest}", "grant.fixed")
    return {name: varies for name, varies in can.items() if name in vary}


def _must_be_short(fixed: Mapping[str, Json]) -> None:
    for name, value in fixed.items():
        size = len(canonical(value))
        if size > LONGEST_FIXED:
            sentence = (
                f"{quoted(name)} has {size:,} bytes, too much to be kept in a permission; let it vary (--vary {name})"
            )
            raise SetupError(sentence, "grant.too_long")


def _length(seconds: int | None, most: int) -> int:
    if seconds is None:
        return most
    if not 0 < seconds <= most:
        days = f"{most // 86400} days" if most % 86400 == 0 else f"{most} seconds"
        sentence = f"a permission holds for at most {days} here (policy.grant_expires)"
        raise SetupError(sentence, "grant.too_long_for")
    return seconds


def _write_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

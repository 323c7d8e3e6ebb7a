"""Say why an action was asked about or not: what policy looked at and ruled, and what each step expects."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import cast

from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.plan import Plan
from sayso.core.quotes import quoted
from sayso.core.record import Record
from sayso.policy.case import Case, texts
from sayso.policy.wording import word_grant

_LEVELS = {
    "mode": "It is asked because of policy.mode, so --yes or a standing permission can answer it.",
    "floor": "It is asked in every mode, and only you can answer it; policy.waive_floor lists what you waive.",
    "click": "Only you can answer it.",
}
_BY = {
    "terminal": "you, at the terminal",
    "command": "you, by a command",
    "flag": "you, by --yes",
    "notification": "you, on a notification",
    "click": "you, by a click",
    "client": "the program that asked",
    "form": "you, in a form of the agent's program",
    "editor": "you, in your editor",
    "agent": "what asked for it, which took it back",
}


_KINDS = {"read": "only reads", "write": "changes", "destructive": "destructive"}
MOST = 4
"""Maximum number of steps, facts or things that are named; of more, only the number is told."""


async def explain(home: Home, record: Record) -> list[str]:
    """Return sentences about one action; values of others in them are not escaped yet."""
    found = [f"{record.about} ({record.operation or 'not understood'}, {record.state.value})", *_ruled(record)]
    found += await _granted(home, record)
    found += _planned(home, record)
    read = ", ".join(record.exposed).replace("_", " ")
    found += [f"Before it was proposed, the model had read: {read}."] if read else []
    found += [f"It was read as {record.dialect}, for {record.entry}, on {_moment(record.time)}."]
    return found + await _understood(home, record)


async def _understood(home: Home, record: Record) -> list[str]:
    """Return how the built-in rules read the wish that led to an action; nothing if a model answered."""
    exchange = await home.journal.sessions.of_run(record.run)
    turns = cast("list[dict[str, Json]]", exchange.trace.get("turns") or []) if exchange else []
    lines = [str(line) for turn in turns for line in cast("list[Json]", turn.get("why") or [])]
    return [f"How your words were read: {'; '.join(lines)}."] if lines else []


def _ruled(record: Record) -> Iterator[str]:
    verdict = record.verdict
    if verdict is None:
        if record.marks.error:
            yield f"Policy was not asked: {record.marks.error} ({record.marks.code or 'no code'})."
        return
    ruling = {"ask": "Policy asked", "allow": "Policy allowed it", "refuse": "Policy refused it"}
    yield f"{ruling.get(verdict.ruling, verdict.ruling)}: {verdict.because} (rule {verdict.rule})."
    if verdict.ruling == "ask" and verdict.level in _LEVELS:
        yield _LEVELS[verdict.level]
    by = record.marks.approved_by or ""
    if by in _BY and record.marks.decided_at:
        yield f"It was answered by {_BY[by]}, on {_moment(record.marks.decided_at)}."


def _planned(home: Home, record: Record) -> Iterator[str]:
    """Yield what policy looked at in the plan, and what each step expects to find."""
    if record.plan is None:
        return
    plan = home.tools.codec.plan(record.plan)
    yield from _looked_at(home, record, plan)
    for number, change in enumerate(plan.changes[:MOST], 1):
        facts = _few([f"{fact.fact.replace('_', ' ')} {_named(fact.about, home)}" for fact in change.expects])
        yield f"Step {number}, {change.do.step}, expects {facts or 'nothing beforehand'}."
    if len(plan.changes) > MOST:
        yield f"{len(plan.changes) - MOST:,} more steps follow."


def _looked_at(home: Home, record: Record, plan: Plan) -> Iterator[str]:
    operation = home.tools.catalogue.get(record.operation or "")
    if operation is None:
        return
    case = Case(home.settings.policy, operation, record.arguments, plan)
    apps = [app for step in case.steps for name in step.apps for app in texts(getattr(step, name))]
    seen = (
        ("changes", [_named(path, home) for path in case.altered]),
        ("reads", [_named(path, home) for path in case.paths if path not in case.altered]),
        ("applications", [quoted(app) for app in dict.fromkeys(apps)]),
        ("loses", plan.loses),
        ("sends", plan.leaving),
    )
    told = "; ".join(f"{name}: {_few(found)}" for name, found in seen if found)
    yield f"Policy looked at: the operation {operation.id} ({_KINDS[operation.kind]}){'; ' if told else ''}{told}."


def _few(found: Sequence[str]) -> str:
    more = f", and {len(found) - MOST:,} more" if len(found) > MOST else ""
    return ", ".join(one.removesuffix(".") for one in found[:MOST]) + more


def _named(thing: str, home: Home) -> str:
    """Return a thing in quotes, with the person's folder as a tilde."""
    own = home.settings.policy.home
    return quoted(f"~{thing[len(own) :]}" if own and thing.startswith(f"{own}/") else thing)


async def _granted(home: Home, record: Record) -> list[str]:
    names = {record.marks.approved_by or "", (record.verdict.approved_by if record.verdict else "") or ""}
    name = next((one for one in names if one.startswith("grant:")), "")
    if not name:
        return ["No standing permission answered it."] if record.verdict is not None else []
    try:
        grant = await home.grants.get(name.removeprefix("grant:"))
    except SaysoError:
        return [f"A standing permission answered it ({name}), which is no longer kept."]
    return [f"A standing permission answered it: {word_grant(grant, home.settings.policy.home)} ({grant.id})."]


def _moment(text: str) -> str:
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")

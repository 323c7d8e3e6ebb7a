"""Say why an action was asked about or not: what policy ruled, by which rule, and what the model had read."""

from collections.abc import Iterator

from sayso.assembly import Home
from sayso.core.errors import SaysoError
from sayso.core.record import Record
from sayso.policy.wording import word_grant
from sayso.surfaces.cli.render import about, moment

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
}


async def explain(home: Home, record: Record) -> list[str]:
    """Return sentences about one action; values of others in them are not escaped yet."""
    found = [f"{about(record)} ({record.operation or 'not understood'}, {record.state.value})", *_ruled(record)]
    found += await _granted(home, record)
    found += [f"Before it was proposed, the model had read: {', '.join(record.exposed)}."] if record.exposed else []
    found += [f"It was read as {record.dialect}, for {record.entry}, on {moment(record.time)}."]
    return found


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
        yield f"It was answered by {_BY[by]}, on {moment(record.marks.decided_at)}."


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

"""Eight callers at once on one home, against the same number of rows in commits that all of them share."""

from contextlib import ExitStack

from bench.actions import RAW, SAYSO
from bench.line import Gap, Line
from bench.paired import Side, cpus, in_turns, ratio, walls
from bench.size import Size

CALLERS = 8


def measured(size: Size) -> list[Line | Gap]:
    """Measure asked and allowed actions."""
    return [_against(size, "asked", 3), _against(size, "allowed", 2)]


def _against(size: Size, how: str, commits: int) -> Line:
    n = max(2, size.n // 3)
    with ExitStack() as stack:
        ours = stack.enter_context(Side(SAYSO, size.folder("home"), how, "memory", str(CALLERS), "1"))
        raw = stack.enter_context(Side(RAW, size.folder("raw"), str(commits), str(CALLERS)))
        ours.do(n)
        raw.do(n)
        took = in_turns({"ours": lambda: ours.do(n), "raw": lambda: raw.do(n)}, size.rounds)
    work, limit = ratio(cpus(took["ours"]), walls(took["raw"])), 1 / ratio(walls(took["ours"]), walls(took["raw"]))
    per_action = [1e6 * sorted(all_of)[len(all_of) // 2] / n / CALLERS for all_of in map(walls, took.values())]
    return Line(
        f"{CALLERS} callers, {how}: share of the limit of grouped commits",
        limit,
        0.2,
        "",
        at_least=True,
        floor=f"our own work, waiting left out, comes to {work:.2f}× the time of grouped commits on this disk",
        beside=f"{per_action[0]:,.0f} µs for an action, {per_action[1]:,.0f} µs for its share of the commits",
    )

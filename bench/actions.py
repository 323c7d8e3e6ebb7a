"""What one action costs: fsyncs, time against plain commits, pages of the write-ahead log, bytes kept."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.line import Gap, Line
from bench.paired import Side, Took, cpus, in_turns, ratio, walls
from bench.size import Size

SAYSO = "bench.sides.sayso"
RAW = "bench.sides.raw"
BATCH = 10


def measured(size: Size) -> list[Line | Gap]:
    """Measure one caller with an effect in memory."""
    asked, batch, allowed = (_syncs(size, *words) for words in (("asked", 1), ("asked", BATCH), ("allowed", 1)))
    return [
        Line("asked: fsyncs of one action", asked, 3, "fsyncs"),
        Line(f"asked: fsyncs of a batch of {BATCH}", batch, BATCH + 2, "fsyncs"),
        Line("allowed by rule: fsyncs of one action", allowed, 2, "fsyncs"),
        _against_commits(size, "asked", 3),
        _against_commits(size, "allowed", 2),
        _pages(size),
        _bytes(size),
    ]


def _syncs(size: Size, how: str, batch: int) -> float:
    trace = Path(size.folder("trace")) / "calls"
    with Side(SAYSO, size.folder("home"), how, "memory", "1", str(batch), trace=trace) as side:
        side.do(2)
        before, n = side.syncs(), 10
        side.do(n)
        return (side.syncs() - before) / n


def _against_commits(size: Size, how: str, commits: int) -> Line:
    with ExitStack() as stack:
        ours = stack.enter_context(Side(SAYSO, size.folder("home"), how, "memory", "1", "1"))
        raw = stack.enter_context(Side(RAW, size.folder("raw"), str(commits), "1"))
        ours.do(size.n)
        raw.do(size.n)
        took = in_turns({"ours": lambda: ours.do(size.n), "raw": lambda: raw.do(size.n)}, size.rounds)
    return Line(
        f"{how}: time of one action against {commits} plain commits",
        ratio(walls(took["ours"]), walls(took["raw"])),
        2.2,
        floor=_floor(took, commits),
        beside=_beside(took, size.n),
    )


def _floor(took: dict[str, list[Took]], commits: int) -> str:
    work = ratio(cpus(took["ours"]), walls(took["raw"]))
    return f"our own work, waiting left out, comes to {work:.2f}× the time of {commits} plain commits on this disk"


def _beside(took: dict[str, list[Took]], n: int) -> str:
    parts = [
        f"{name} {1e6 * sorted(walls(all_of))[len(all_of) // 2] / n:,.0f} µs, "
        f"of which work {1e6 * sorted(cpus(all_of))[len(all_of) // 2] / n:,.0f} µs"
        for name, all_of in took.items()
    ]
    return "; ".join(parts)


def _pages(size: Size) -> Line:
    with Side(SAYSO, size.folder("home"), "asked", "memory", "1", "1") as side:
        before = side.do(20).found
        n = 100
        pages = (side.do(n).found - before) / n
    return Line("asked: pages of the write-ahead log for one action", pages, 9, "pages")


@dataclass(frozen=True)
class Sized:
    """A journal's file before and after."""

    before: int
    after: int


def _bytes(size: Size) -> Line:
    folder = size.folder("home")
    file = Path(folder) / ".sayso" / "sayso.db"
    n = max(200, size.rounds * size.n)

    def grown(count: int) -> int:
        with Side(SAYSO, folder, "asked", "memory", "1", "1") as side:
            side.do(count)
        return file.stat().st_size  # closing brings the write-ahead log into the file

    before = grown(50)
    return Line(
        "kept in the journal for one action", (grown(n) - before) / n, 1300, "bytes", beside=f"over {n} actions"
    )

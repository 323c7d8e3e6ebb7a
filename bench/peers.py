"""One asked and durable file.move, against the same done with LangGraph and with DBOS."""

from contextlib import ExitStack
from pathlib import Path

from bench.line import Gap, Line
from bench.paired import Side, in_turns, ratio, walls
from bench.postgres import postgres
from bench.size import Size

SAYSO = ("bench.sides.sayso", "asked", "local", "1", "1")
TARGET = 8.0
TRACED = 5


def measured(size: Size) -> list[Line | Gap]:
    """Measure against each peer."""
    if not size.peers:
        return [Gap("LangGraph and DBOS", "the peers were left out")]
    found = [_against(size, "LangGraph, SQLite", "bench.sides.langgraph"), _dbos(size, "SQLite", "")]
    with postgres(Path(size.folder("postgres"))) as url:
        if url is None:
            return [*found, Gap("DBOS, PostgreSQL", "there is no PostgreSQL server that this user can start here")]
        return [*found, _dbos(size, "PostgreSQL", url)]


def _dbos(size: Size, on: str, url: str) -> Line:
    return _against(size, f"DBOS, {on}", "bench.sides.dbos", url)


def _against(size: Size, name: str, module: str, url: str | None = None) -> Line:
    ours_syncs, peer_syncs = _syncs(size, None, None), _syncs(size, module, url)
    with ExitStack() as stack:
        ours = stack.enter_context(_side(size, None, None))
        peer = stack.enter_context(_side(size, module, url))
        ours.do(2)
        peer.do(2)
        n = max(2, size.n // 5)
        took = in_turns({"ours": lambda: ours.do(n), "peer": lambda: peer.do(n)}, max(3, size.rounds // 2))
    times = ratio(walls(took["peer"]), walls(took["ours"]))
    ours_ms, peer_ms = (1000 * sorted(walls(took[who]))[len(took[who]) // 2] / n for who in ("ours", "peer"))
    return Line(
        f"asked file.move, cheaper than {name}",
        times,
        TARGET,
        at_least=True,
        floor=f"it takes {peer_ms:.1f} ms there and {ours_ms:.1f} ms here",
        beside=f"ours {ours_ms:.2f} ms and {ours_syncs:g} fsyncs, {name} {peer_ms:.2f} ms and {peer_syncs:g} fsyncs",
    )


def _syncs(size: Size, module: str | None, url: str | None) -> float:
    trace = Path(size.folder("trace")) / "calls"
    with _side(size, module, url, trace) as side:
        side.do(2)
        before = side.syncs()
        side.do(TRACED)
        return (side.syncs() - before) / TRACED


def _side(size: Size, module: str | None, url: str | None, trace: Path | None = None) -> Side:
    folder = size.folder("side")
    if module is None:
        return Side(SAYSO[0], folder, *SAYSO[1:], trace=trace)
    words = [] if url is None else [url or f"sqlite:///{folder}/dbos.db"]
    return Side(module, folder, *words, python=size.peers, trace=trace)

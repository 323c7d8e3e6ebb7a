"""Reading a chat reply that comes in pieces, against joining it once, and against parsers of unfinished JSON."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bench.joined import AddTask, joined
from bench.line import Gap, Line
from bench.paired import Side, cpus, ratio
from bench.paired import in_turns as sides_in_turns
from bench.reply import FEW, HALF, MOSTLY_BLOCKS, MOSTLY_TEXT, actions, pieces, reply
from bench.size import Size
from bench.timing import in_turns, times
from sayso.assembly.parts import providers
from sayso.core.dialect import Event, TextEvent
from sayso.core.operation import Operation
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS
from sayso.runtime.registry import catalogue

PEERS = {"jiter": 2.0, "partial-json-parser": 20.0, "langchain-core": 20.0, "json-repair": 20.0}
"""How many times faster sayso is to be."""
KINDS = {"mostly blocks": MOSTLY_BLOCKS, "half text": HALF, "mostly text": MOSTLY_TEXT}


def known() -> Mapping[str, Operation]:
    """Return the whole catalogue."""
    return catalogue(providers())


def read_gathered(operations: Mapping[str, Operation], parts: Sequence[str]) -> tuple[list[Event], int]:
    """Return all events of a reply, and how many of them are blocks; read as `assistant.stream` does between pauses."""
    reader = BLOCKS.reader(operations)
    feed, events, unread = reader.feed, list[Event](), list[str]()
    gather = unread.append
    for part in parts:
        gather(part)
        if "\n" in part:
            events += feed("".join(unread))
            unread.clear()
    events += [*feed("".join(unread)), *reader.close()]
    return events, sum(not isinstance(event, TextEvent) for event in events)


def read_at_once(operations: Mapping[str, Operation], parts: Sequence[str]) -> list[Event]:
    """Return all events of a reply that pauses after each piece, so that each is read for itself."""
    reader = BLOCKS.reader(operations)
    feed, events = reader.feed, list[Event]()
    for part in parts:
        events += feed(part)
    return events + reader.close()


def measured(size: Size) -> list[Line | Gap]:
    """Measure against joining, how it grows, and against each peer."""
    operations = known()
    blocks = min(200, size.text // 1_000)
    lines: list[Line | Gap] = [_joined(size, operations, kind, text, blocks) for kind, text in KINDS.items()]
    lines.append(_growth(size, operations, blocks))
    if not size.peers:
        return [*lines, Gap("parsers of unfinished JSON", "the peers were left out")]
    return [*lines, *(_against(size, name, target) for name, target in PEERS.items())]


def _joined(size: Size, operations: Mapping[str, Operation], kind: str, text: int, blocks: int) -> Line:
    whole = reply(blocks, text)
    parts = pieces(whole)
    _must_be_equal(operations, whole, parts)
    took = in_turns(
        {
            "ours": lambda: read_gathered(operations, parts),
            "joined": lambda: joined(parts),
            "at once": lambda: read_at_once(operations, parts),
        },
        size.rounds,
    )
    nano = 1e9 * sorted(took["ours"])[len(took["ours"]) // 2] / len(parts)
    return Line(
        f"a reply of {blocks} blocks in pieces of four, {kind}, against joining it once",
        times(took, "ours", "joined"),
        4,
        floor="gathering the pieces and reading the JSON strictly are the most of it",
        beside=f"{nano:.0f} ns for a piece; {times(took, 'at once', 'joined'):.1f} × where the stream pauses after "
        "each piece, and each is shown at once",
    )


def _must_be_equal(operations: Mapping[str, Operation], whole: str, parts: Sequence[str]) -> None:
    """Hold that both sides come to the same, before they are timed."""
    ours, (text, found) = read(BLOCKS, operations, whole, 4), joined(parts)
    wanted = list(actions(whole))
    theirs = [one.text for one in found if isinstance(one, AddTask)]
    if [one.arguments["text"] for one in ours.proposals] != wanted or theirs != wanted:
        raise RuntimeError("one of the sides does not find the actions of the reply")
    if ours.text != text or any(one.problem for one in ours.proposals):
        raise RuntimeError("the two sides do not show the same text")


def _growth(size: Size, operations: Mapping[str, Operation], blocks: int) -> Line:
    small, large = (pieces(reply(count, HALF)) for count in (blocks, 4 * blocks))
    took = in_turns(
        {"small": lambda: read_gathered(operations, small), "large": lambda: read_gathered(operations, large)},
        size.rounds,
    )
    each = [
        1e6 * sorted(took[name])[size.rounds // 2] / count for name, count in (("small", blocks), ("large", 4 * blocks))
    ]
    return Line(
        f"a reply of {4 * blocks} blocks against one of {blocks}, for each block",
        times(took, "large", "small") / 4,
        1.3,
        floor="the machine is busy with something else",
        beside=f"{each[0]:.0f} µs a block of {blocks}, {each[1]:.0f} µs of {4 * blocks}",
    )


def _against(size: Size, name: str, target: float) -> Line:
    with ExitStack() as stack:
        ours = stack.enter_context(Side("bench.sides.streaming"))
        peer = stack.enter_context(Side("bench.sides.partial", name, python=size.peers))
        for side in (ours, peer):
            if side.do(1).found != FEW:
                raise RuntimeError(f"a side beside {name} does not find every block")
        rounds = max(3, size.rounds // 3)
        took = sides_in_turns({"ours": lambda: ours.do(1), "peer": lambda: peer.do(1)}, rounds)
    micro = {who: 1e6 * sorted(cpus(took[who]))[len(took[who]) // 2] / FEW for who in took}
    return Line(
        f"a reply in pieces, faster than parsing the open block anew with {name}",
        ratio(cpus(took["peer"]), cpus(took["ours"])),
        target,
        at_least=True,
        beside=f"{micro['ours']:.0f} µs a block here, {micro['peer']:,.0f} µs there",
    )

"""One wish in every dialect that can say it; `python -m tests.dialects.differential` prints the table of pairs.

Each reply is read by its own dialect and taken down the whole path, in one home of which everything is in memory: what
only reads is run, all else is a dry run. Compared are replies for the same wish in canonical words alone: where the
name of a source says an argument (the browser of the tool `browser` is Safari, that of the commands Chrome, that of
OPEN_URL the default one), the wish says it too.
"""

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import anyio
from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.parts import dialect
from sayso.core.errors import ProposalError
from sayso.dialects.actions import write_instance
from sayso.runtime.results import result_json
from tests.dialects.replies import EACH, OPERATIONS
from tests.dialects.wish_world import TokensAgain, wish_world
from tests.dialects.wishes import ByHand, Wish, by_hand, own_wishes, templates, wishes

OPEN = tuple(name for name in EACH if name != "actions")
"""Those that name operations; in `actions` the person's own actions are named."""
BLOCKS = (
    *("task.add", "task.add_subtask", "task.edit", "task.delete", "task.complete"),
    *("habit.add", "habit.edit", "habit.delete", "habit.log"),
)
"""The operations that the dialect of blocks has a form for; lines, tools and commands have one for all."""
COMPARED = ("operation", "arguments", "state", "code", "error", "data", "verdict", "digest", "plan")


@dataclass(frozen=True)
class Reply:
    """A reply that says a wish; `by` is `write` or `hand`."""

    dialect: str
    by: str
    wish: Wish
    text: str


class Heard(Struct, frozen=True):
    """What became of a reply: its one result, and the template that it named."""

    reply: Reply
    result: Mapping[str, Any]
    template: str | None

    @property
    def compare(self) -> str:
        """Return what must be equal in all dialects, written down."""
        arguments = cast("dict[str, Any]", self.result["arguments"])
        told = {name: self.result[name] for name in COMPARED} | {"arguments": arguments, "template": self.template}
        return json.dumps(told, sort_keys=True, ensure_ascii=False)


@dataclass
class Table:
    """How many pairs were compared, by operation (or template) and dialect, and those that differ.

    `pairs` are those with another dialect, `within` those of two replies in the same one.
    """

    pairs: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict[tuple[str, str], int](int))
    within: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict[tuple[str, str], int](int))
    wishes: int = 0
    replies: int = 0
    differ: list[tuple[Heard, Heard]] = field(default_factory=list[tuple[Heard, Heard]])

    def add(self, row: str, heard: Sequence[Heard]) -> None:
        """Compare what became of the replies for one wish, each with each other."""
        self.wishes += 1
        self.replies += len(heard)
        for one, other in combinations(heard, 2):
            names = {one.reply.dialect, other.reply.dialect}
            for name in names:
                (self.pairs if len(names) > 1 else self.within)[row, name] += 1
            if one.compare != other.compare:
                self.differ.append((one, other))

    @property
    def compare(self) -> int:
        """Return how many pairs there were."""
        return sum(self.pairs.values()) // 2 + sum(self.within.values())

    def cell(self, row: str, name: str) -> int:
        """Return the pairs of a dialect for an operation; where no other dialect can say it, those within it."""
        return self.pairs[row, name] or self.within[row, name]


def sayable() -> Mapping[str, Sequence[str]]:
    """Return the operations that each dialect can say; of `actions`, the templates."""
    return {**dict.fromkeys(OPEN, tuple(OPERATIONS)), "actions": tuple(templates()), "blocks": BLOCKS}


def every_wish() -> tuple[Wish, ...]:
    """Return all wishes, with those that replies by hand say in place of what was meant."""
    found = {wish.id: wish for wish in (*wishes(), *own_wishes())}
    found |= {one.wish.id: one.wish for one in read_by_hand()}
    return tuple(found.values())


def read_by_hand() -> Iterator[ByHand]:
    """Yield the replies by hand that are read; the others are held by a test of their own."""
    for name in EACH:
        yield from by_hand(name)


def replies(wish: Wish, home: Home) -> Iterator[Reply]:
    """Yield all replies that say a wish."""
    if wish.template is not None:
        instance = write_instance(wish.template, wish.arguments, "A label")
        yield Reply("actions", "write", wish, f"Here it is:\n\n{instance}")
        document = json.loads(instance.strip("`").removeprefix("json"))
        yield Reply("actions", "write", wish, json.dumps({"content": "Here it is.", **document}))
    for name in OPEN if wish.template is None else ():
        try:
            text = dialect(name).write(home.operations[wish.operation], wish.arguments)
        except ProposalError:
            continue
        yield Reply(name, "write", wish, text)
    for one in read_by_hand():
        if one.wish.id == wish.id:
            yield Reply(one.dialect, "hand", wish, one.reply)


async def heard(home: Home, ids: TokensAgain, reply: Reply) -> Heard:
    """Take a reply down the path: what only reads is run, all else stops where it would ask or act.

    Raises `AssertionError` when it is not one proposal.
    """
    proposals = home.read(reply.text, reply.dialect).proposals
    if len(proposals) != 1:
        raise AssertionError(f"{reply.dialect} reads {len(proposals)} proposals in {reply.text!r}")
    ids.again()
    only_reads = home.operations[reply.wish.operation].kind == "read"
    report = await home.run(reply.text, reply.dialect, dry_run=not only_reads)
    result = cast("dict[str, Any]", result_json(report.outcomes[0]))
    return Heard(reply, result, proposals[0].template_id)


async def compare(base: Path, said: Iterable[Wish]) -> tuple[Table, list[list[Heard]]]:
    """Take every reply for these wishes down the path and compare them."""
    table, found = Table(), list[list[Heard]]()
    async with wish_world(base, every_wish()) as (home, ids):
        for wish in said:
            one = [await heard(home, ids, reply) for reply in replies(wish, home)]
            table.add(wish.template or wish.operation, one)
            found.append(one)
    return table, found


def printed(table: Table) -> Iterator[str]:
    """Yield the table's lines: a number of pairs for each dialect that can say a thing."""
    can = sayable()
    rows = [*dict.fromkeys(wish.operation for wish in wishes()), *templates()]
    width = max(len(row) for row in rows)
    yield f"{'':{width}}" + "".join(f"{name:>10}" for name in EACH)
    for row in rows:
        cells = [str(table.cell(row, name)) if row in can[name] else "-" for name in EACH]
        yield f"{row:{width}}" + "".join(f"{cell:>10}" for cell in cells)
    sums = [sum(table.cell(row, name) for row in rows) for name in EACH]
    yield f"{'all':{width}}" + "".join(f"{count:>10}" for count in sums)
    yield f"{table.wishes} wishes, {table.replies} replies, {table.compare} pairs, {len(table.differ)} of them differ"


def main() -> int:
    """Compare everything and print the table; end with 1 when anything differs."""
    with tempfile.TemporaryDirectory() as folder:
        table, _ = anyio.run(compare, Path(folder), every_wish())
    sys.stdout.write("\n".join(printed(table)) + "\n")
    for one, other in table.differ[:20]:
        names = f"{one.reply.wish.id}: {one.reply.dialect} and {other.reply.dialect}"
        sys.stdout.write(f"\n{names}\n{one.compare}\n{other.compare}\n")
    return 1 if table.differ else 0


if __name__ == "__main__":
    sys.exit(main())

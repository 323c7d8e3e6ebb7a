"""The same wish has the same operation, arguments, verdict, plan and digest in every dialect that can say it."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.proposal import Origin, Proposal
from tests.dialects.differential import OPEN, Heard, Table, compare, dialect, every_wish, printed, sayable
from tests.dialects.replies import EACH, OPERATIONS
from tests.dialects.wish_world import wish_world
from tests.dialects.wishes import OWN, Wish, by_hand, templates, wishes

UNSERVED = {"page.screenshot": "unavailable"}
"""What no backend in memory can do; it fails alike in all dialects, before there is a plan."""
OPTIONAL = [wish for wish in wishes() if any(not one.required for one in OPERATIONS[wish.operation].parameters)]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, list[list[Heard]]]:
    return anyio.run(compare, tmp_path_factory.mktemp("wishes"), every_wish())


@pytest.mark.req("PA-01", "X-01", "X-02", "X-08", "X-19")
def test_a_wish_is_one_and_the_same_in_every_dialect(compared: tuple[Table, list[list[Heard]]]):
    table, _ = compared

    assert table.differ == []
    assert table.wishes >= 200


@pytest.mark.req("PA-01", "X-01")
def test_a_reply_says_what_was_wished_in_canonical_words(compared: tuple[Table, list[list[Heard]]]):
    wrong = [
        (one.reply, one.result["operation"], one.result["arguments"])
        for group in compared[1]
        for one in group
        if (one.result["operation"], one.template) != (one.reply.wish.operation, one.reply.wish.template)
        or one.result["arguments"] != one.reply.wish.arguments
    ]

    assert wrong == []


@pytest.mark.req("X-02")
def test_each_wish_is_judged_and_has_a_digest(compared: tuple[Table, list[list[Heard]]]):
    results = [group[0].result for group in compared[1] if group[0].reply.wish.operation != OWN]
    own_runs = [group[0].result for group in compared[1] if "instance_id" in group[0].reply.wish.arguments]

    assert [one for one in (*results, *own_runs) if one["verdict"] is None or one["digest"] is None] == []
    failed = {one["operation"]: one["code"] for one in results if one["state"] not in {"planned", "unchanged", "done"}}
    assert failed == UNSERVED


@pytest.mark.req("PA-01")
def test_no_cell_of_the_table_is_empty(compared: tuple[Table, list[list[Heard]]]):
    table, _ = compared

    empty = [(row, name) for name in EACH for row in sayable()[name] if not table.cell(row, name)]
    assert empty == [], "each operation needs two wishes in tests/cases/wishes/<domain>.json"


def test_the_table_names_every_operation_and_counts(compared: tuple[Table, list[list[Heard]]]):
    table, _ = compared

    lines = list(printed(table))

    rows = {line.split()[0]: line.split()[1:] for line in lines[1:-2]}
    assert set(rows) == {*OPERATIONS, *templates()}
    assert [row for row, cells in rows.items() if "0" in cells or cells == ["-"] * len(EACH)] == []
    assert lines[-1] == f"{table.wishes} wishes, {table.replies} replies, {table.compare} pairs, 0 of them differ"


@pytest.mark.parametrize("name", OPEN)
def test_a_dialect_says_what_it_is_listed_with_and_no_more(name: str):
    said = {wish.operation for wish in wishes() if can_say(name, OPERATIONS[wish.operation], wish)}

    assert said == set(sayable()[name])


def can_say(name: str, operation: Operation, wish: Wish) -> bool:
    try:
        dialect(name).write(operation, wish.arguments)
    except ProposalError:
        return False
    return True


@pytest.mark.parametrize("name", [name for name in EACH if by_hand(name)])
def test_sixty_wishes_and_more_were_written_by_hand_in_each_dialect(name: str):
    replies = by_hand(name)
    as_meant = {one.meant for one in replies if one.wish.id == one.meant}

    assert len({one.meant for one in replies if not one.corrected}) >= 60
    # Whoever wrote something else than was meant has a corrected reply beside it.
    assert [one.meant for one in replies if one.meant not in as_meant] == []


@pytest.mark.req("PA-01")
async def test_a_default_said_aloud_has_the_digest_of_the_same_left_out(tmp_path: Path):
    different: list[str] = []
    said = 0
    async with wish_world(tmp_path, every_wish()) as (home, ids):
        for wish in OPTIONAL:
            operation = OPERATIONS[wish.operation]
            defaults = {one.name: one.default for one in operation.parameters if not one.required}
            aloud = {**defaults, **wish.arguments}
            if aloud == wish.arguments or operation.check(aloud)[1]:
                continue
            digests: set[str | None] = set()
            for arguments in (wish.arguments, aloud):
                ids.again()
                proposal = Proposal(0, "", wish.operation, arguments)
                report = await home.take([proposal], Origin("tools"), dry_run=operation.kind != "read")
                digests.add(report.outcomes[0].record.digest)
            said += 1
            different += [wish.id] if len(digests) != 1 or None in digests else []

    assert different == []
    assert said >= 20


@pytest.mark.parametrize("name", ["arguments", "verdict", "digest", "plan"])
def test_a_difference_of_one_pair_is_noticed(compared: tuple[Table, list[list[Heard]]], name: str):
    one, *others = next(group for group in compared[1] if group[0].reply.wish.id == "file.move/1")
    other = replace(one, result={**one.result, name: {"another": 1}})
    table = Table()

    table.add("file.move", [one, other, *others])

    assert len(table.differ) == 1 + len(others)

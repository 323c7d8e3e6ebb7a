"""Reads are bounded, and say so at the door."""

import pytest

from sayso.core.plan import Answer
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage

READS = ("file.list", "file.find", "file.read")


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("limit", [0, -1, 10**9, True, "5"])
def test_a_limit_beyond_bounds_does_not_pass_the_door(name: str, limit: object):
    _, problems = OPERATIONS[name].check({"path": "~/Documents", "pattern": "x", "limit": limit})

    assert "limit" in [problem.argument for problem in problems]


@pytest.mark.parametrize("name", READS)
@pytest.mark.req("X-08")
def test_what_they_find_is_text_of_strangers(name: str):
    operation = OPERATIONS[name]

    assert (operation.kind, operation.asks, operation.outside) == ("read", "none", True)


@pytest.mark.parametrize("size", [9_999, 10_000, 10_001])
async def test_ten_thousand_characters_are_read_unless_more_are_asked_for(size: int):
    stage = MemoryStage()
    stage.file(f"{stage.root}/long", "é".encode() * size)

    answer = await OPERATIONS["file.read"].function(stage.backend().reads, path="~/Documents/long")

    assert isinstance(answer, Answer)
    assert len(answer.text) == min(size, 10_000)
    assert answer.data["truncated"] == (size > 10_000)
    assert answer.data["total_bytes"] == 2 * size

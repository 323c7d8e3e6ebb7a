"""What a batch was shown is held against what is there, and a difference is found."""

import pytest

from sayso.core.plan import AsLeft
from sayso.providers.files.facts import Free, Unchanged
from sayso.testing.file_batches import done, must_agree, planned, resolved, shown
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage


async def test_wishes_that_cannot_be_planned_are_left_out():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", b"")

    batch = await planned(
        stage.backend(),
        OPERATIONS,
        [
            ("file.delete", {"path": "~/Documents/no"}),
            ("file.mkdir", {"path": "~/Documents"}),
            ("file.read", {"path": "~/Documents/a"}),
            ("file.move", {"source": "~/Documents/a", "destination": "~/Documents/b"}),
        ],
    )

    assert [(ref.action, ref.change) for ref, _ in batch.changes] == [(3, 0)]
    assert set(await done(stage.backend(), batch)) == {(3, 0)}
    assert list(stage.tree()) == ["b"]


async def test_what_is_shown_of_a_path_says_when_it_is_not_possible():
    said = await shown(MemoryStage().backend().reads, ["/etc", "~/Documents/no"])

    assert said["look /etc"] == "refused"
    assert said["look ~/Documents/no"] == "not possible"
    assert said["exists ~/Documents/no"] is False


def test_a_reference_must_be_among_what_its_step_left():
    lefts = {(0, 0): (Free("/a"),)}

    assert resolved(AsLeft("/a", "free", 0, 0), lefts) == Free("/a")
    with pytest.raises(AssertionError):
        resolved(AsLeft("/b", "free", 0, 0), lefts)


def test_a_fact_that_did_not_come_true_is_found():
    with pytest.raises(AssertionError):
        must_agree(Unchanged("/a", "file", 1, 1), Unchanged("/a", "file", 1, 2), {})
    with pytest.raises(AssertionError):
        must_agree(Free("/a"), Unchanged("/b", "file", 1, 2), {})

"""Each step declares what it does to a tree; everything but the disk only interprets that."""

from itertools import count

import pytest

from sayso.core.plan import CannotUndo
from sayso.providers.files.model import (
    STEPS,
    Copy,
    Exchange,
    FileStep,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Trash,
    Unkeep,
    Write,
    place_of,
    subject_of,
)

WAYS: list[tuple[FileStep, FileStep]] = [
    (Rename("/a", "/b"), Rename("/b", "/a")),
    (Copy("/a", "/b", "t"), Keep("/b", "new0")),
    (Trash("/a", "e"), Restore("/a", "e")),
    (Restore("/a", "e"), Trash("/a", "e")),
    (Keep("/a", "t"), Unkeep("/a", "t")),
    (Unkeep("/a", "t"), Keep("/a", "t")),
    (MakeFolders("/a", ("b",), "t"), RemoveFolders("/a", "new0")),
    (Write("/a", "x", "t"), Keep("/a", "new0")),
    (Replace("/a", "x", "t"), Exchange("/a", "t")),
    (Exchange("/a", "t"), Exchange("/a", "t")),
]


def test_each_step_knows_its_way_back():
    for step, undo in WAYS:
        numbers = count()
        assert step.way_back(lambda numbers=numbers: f"new{next(numbers)}") == undo
    assert isinstance(RemoveFolders("/a", "t").way_back(str), CannotUndo)
    assert {type(step) for step, _ in WAYS} | {RemoveFolders} == set(STEPS)


@pytest.mark.parametrize("step", [step for step, _ in WAYS if step.effect.builds is None])
def test_a_way_back_takes_the_thing_from_where_the_step_put_it(step: FileStep):
    back = step.way_back(str)

    assert isinstance(back, FileStep)
    if step.effect.displaces:
        assert back.effect == step.effect
    else:
        assert (back.effect.takes, back.effect.puts) == (step.effect.puts, step.effect.takes)


@pytest.mark.parametrize("place", ["/a/b", "kept:token", "trash:a.txt"])
def test_a_fact_about_a_place_leads_to_it(place: str):
    assert place_of(subject_of(place)) == place

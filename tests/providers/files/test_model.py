"""Each step declares what it does to a tree, and the provider declares its operations and steps."""

from itertools import count

import pytest

from sayso.core.codec import Codec, step_json
from sayso.core.plan import CannotUndo
from sayso.providers.files import FILES
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    FileStep,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unkeep,
    Write,
    place_of,
    subject_of,
)

LISTED = {
    "file.move": ("destructive", "mode", ["source", "destination"]),
    "file.copy": ("write", "mode", ["source", "destination"]),
    "file.delete": ("destructive", "floor", ["path"]),
    "file.mkdir": ("write", "mode", ["path"]),
    "file.open": ("write", "mode", ["path", "app"]),
    "file.reveal": ("read", "none", ["path"]),
    "file.write": ("write", "mode", ["path", "content"]),
    "file.append": ("write", "mode", ["path", "content"]),
    "file.list": ("read", "none", ["path", "limit"]),
    "file.find": ("read", "none", ["path", "pattern", "limit"]),
    "file.read": ("read", "none", ["path", "limit"]),
}


@pytest.mark.req("T-34", "X-01")
def test_the_operations_are_those_listed():
    declared = {
        operation.id: (operation.kind, operation.asks, [parameter.name for parameter in operation.parameters])
        for operation in FILES.operations
    }

    assert declared == LISTED
    assert all(operation.stores == ("files",) for operation in FILES.operations)


def test_only_showing_reaches_beyond_the_roots():
    assert [operation.id for operation in FILES.operations if operation.reach == "home"] == ["file.reveal"]


@pytest.mark.parametrize("step", [MakeFolders("/a", ("b", "c"), "k"), Replace("/a", "é\n", "k", append=True)])
def test_steps_survive_a_restart(step: Steps):
    assert Codec(FILES.steps, FILES.facts).step(step_json(step)) == step


@pytest.mark.parametrize("path", ["relative", "~other/x", "$HOME/x", "file:///etc/passwd", "a\nb", "", "~/a\0b"])
@pytest.mark.req("T-17", "FS-01", "PA-03")
def test_a_path_that_names_no_place_does_not_pass_the_door(path: str):
    for operation in FILES.operations:
        _, problems = operation.check({"path": path, "source": path, "destination": path})

        assert any(problem.argument in {"path", "source"} for problem in problems), operation.id


@pytest.mark.parametrize("key", ["root", "cwd", "base", "allow", "mode", "approved"])
@pytest.mark.req("FS-19")
def test_no_argument_changes_the_bounds(key: str):
    for operation in FILES.operations:
        _, problems = operation.check({"path": "~/Documents/a", key: "/"})

        assert "arguments.unknown" in {problem.code for problem in problems}


WAYS: list[tuple[FileStep, FileStep]] = [
    (Rename("/a", "/b"), Rename("/b", "/a")),
    (Copy("/a", "/b", "t"), Keep("/b", "new0")),
    (Trash("/a", "e"), Restore("/a", "e")),
    (Restore("/a", "e"), Trash("/a", "e")),
    (Keep("/a", "t"), Unkeep("/a", "t")),
    (Unkeep("/a", "t"), Keep("/a", "t")),
    (MakeFolders("/a", ("b",), "t"), RemoveFolders("/a", "new0")),
    (Write("/a", "x", "t"), Keep("/a", "new0")),
    (Replace("/a", "x", "t"), ExchangeFiles("/a", "t")),
    (ExchangeFiles("/a", "t"), ExchangeFiles("/a", "t")),
]


def test_each_step_knows_its_way_back():
    for step, undo in WAYS:
        numbers = count()
        assert step.way_back(lambda numbers=numbers: f"new{next(numbers)}") == undo
    assert isinstance(RemoveFolders("/a", "t").way_back(str), CannotUndo)
    assert {type(step) for step, _ in WAYS} | {RemoveFolders} == set(FILES.steps)


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

"""Things are known by name before the module in which they stand is imported, and imported when they are asked for."""

import posixpath
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.lazy import LazyMapping, LazySequence, load

MODULE = "far_away_things"


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LazySequence[str]]:
    """Return three things by name, in a module that is not imported yet."""
    (tmp_path / f"{MODULE}.py").write_text("ONE, TWO, NINE = 'one', 'two', 'nine'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield LazySequence({"1": f"{MODULE}:ONE", "2": f"{MODULE}:TWO", "9": f"{MODULE}:NINE"})
    sys.modules.pop(MODULE, None)


def test_what_stands_in_a_module_is_found_and_what_does_not_is_a_fault_of_whoever_named_it():
    assert load("posixpath:join") is posixpath.join
    for place, fault in {"no.such.module:name": ImportError, "posixpath:nothing": AttributeError}.items():
        with pytest.raises(fault):
            load(place)


def test_names_and_number_are_known_without_an_import(far: LazySequence[str]):
    assert (far.names, len(far)) == (("1", "2", "9"), 3)
    with pytest.raises(KeyError):
        far.named("3")
    assert MODULE not in sys.modules


def test_it_is_a_sequence_of_what_stands_there(far: LazySequence[str]):
    assert list(far) == ["one", "two", "nine"]
    assert (far[0], far[-1], far[1:]) == ("one", "nine", ["two", "nine"])
    assert [far.named(name) for name in far.names] == list(far)


def test_by_name_finds_what_is_far_and_what_is_near(far: LazySequence[str]):
    known: LazyMapping[str] = LazyMapping()
    known.add(far, far.names)
    known.add(("here",), ("0",))

    before = (list(known), len(known), "9" in known, "8" in known, known.get("8"))

    assert before == (["1", "2", "9", "0"], 4, True, False, None)
    assert MODULE not in sys.modules
    assert (known["9"], known["0"]) == ("nine", "here")


def test_a_name_given_again_means_the_new_thing():
    known: LazyMapping[str] = LazyMapping()
    known.add(("old",), ("a",))
    known.add(("new",), ("a",))

    assert dict(known) == {"a": "new"}

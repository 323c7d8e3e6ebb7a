"""Things are known by name before the module in which they stand is imported."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.lazy import LazyMapping, LazySequence

MODULE = "far_away_things"


@pytest.fixture(autouse=True)
def far_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / f"{MODULE}.py").write_text("ONE, TWO, NINE = 'one', 'two', 'nine'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield
    sys.modules.pop(MODULE, None)


def later() -> LazySequence[str]:
    return LazySequence({"1": f"{MODULE}:ONE", "2": f"{MODULE}:TWO", "9": f"{MODULE}:NINE"})


def test_names_and_number_are_known_without_an_import():
    things = later()

    assert (things.names, len(things)) == (("1", "2", "9"), 3)
    assert MODULE not in sys.modules


def test_it_is_a_sequence_of_what_stands_there():
    things = later()

    assert list(things) == ["one", "two", "nine"]
    assert (things[0], things[-1], things[1:]) == ("one", "nine", ["two", "nine"])
    assert [things.named(name) for name in things.names] == list(things)


def test_a_name_that_is_none_of_them_imports_nothing():
    with pytest.raises(KeyError):
        later().named("3")

    assert MODULE not in sys.modules


def test_by_name_finds_what_is_far_and_what_is_near():
    known: LazyMapping[str] = LazyMapping()
    known.add(later(), later().names)
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

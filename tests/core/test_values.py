"""A cheap dataclass does what Python's own does, in everything that sayso asks of one."""

import copy
import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import pytest

from sayso.core import values

Maker = Callable[..., Callable[[type[Any]], type[Any]]]
CHEAP: Maker = vars(values)["dataclass"]
OWN: Maker = dataclasses.dataclass


def family(base: Maker, heir: Maker, *, slots: bool) -> tuple[type[Any], type[Any]]:
    """Return a class and one that is derived from it, each made by its maker."""

    @base(frozen=True, slots=slots)
    class Thing:
        """Something."""

        kind: ClassVar[str] = "thing"
        name: str
        size: int = 0
        tags: dict[str, int] = dataclasses.field(default_factory=dict[str, int])
        hidden: str = dataclasses.field(default="h", repr=False, compare=False)

        @property
        def twice(self) -> int:
            return self.size * 2

    @heir(frozen=True, slots=slots)
    class Heir(Thing):
        """Something more."""

        kind: ClassVar[str] = "heir"
        more: tuple[int, ...] = ()

    return Thing, Heir


MIXES = [
    pytest.param(CHEAP, CHEAP, id="cheap"),
    pytest.param(CHEAP, OWN, id="own of cheap"),
    pytest.param(OWN, CHEAP, id="cheap of own"),
]
GIVEN: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 2), {"hidden": "x"}),
    ((), {"name": "a", "tags": {"t": 1}}),
    ((), {}),
    (("a", 1, {}, "x", (), 5), {}),
    (("a",), {"name": "b"}),
    (("a",), {"colour": "b"}),
]


def shown(cls: type[Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return all that can be seen of a value, or the fault of making it."""
    try:
        made = cls(*given, **named)
    except TypeError as fault:
        return str(fault).rpartition(".")[2]
    fields = [(field.name, field.type, field.repr, field.compare, field.init) for field in dataclasses.fields(made)]
    return repr(made).rpartition(".")[2], dataclasses.asdict(made), fields, cls.__match_args__, made.kind, made.twice


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize(("base", "heir"), MIXES)
@pytest.mark.parametrize(("given", "named"), GIVEN, ids=range(len(GIVEN)))
def test_it_is_made_shown_and_told_as_pythons_own(
    base: Maker, heir: Maker, slots: bool, given: tuple[Any, ...], named: dict[str, Any]
):
    ours, theirs = family(base, heir, slots=slots), family(OWN, OWN, slots=slots)

    for cls, wanted in zip(ours, theirs, strict=True):
        assert shown(cls, given, named) == shown(wanted, given, named)
        assert hasattr(cls("a"), "__dict__") is hasattr(wanted("a"), "__dict__")


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize(("base", "heir"), MIXES)
def test_it_is_equal_and_hashed_by_what_is_compared(base: Maker, heir: Maker, slots: bool):
    thing, heir_ = family(base, heir, slots=slots)

    assert thing("a", 1, hidden="x") == thing("a", 1, hidden="y")
    assert thing("a", 1) != thing("a", 2)
    assert thing("a") != heir_("a")
    assert heir_("a", more=(1,)) == heir_("a", more=(1,))
    assert thing("a").__eq__(3) is NotImplemented


@pytest.mark.parametrize("cls", [CHEAP, OWN], ids=["cheap", "own"])
def test_equal_ones_have_one_hash(cls: Maker):
    @cls(frozen=True, slots=True)
    class Pair:
        left: int
        right: str = ""

    @cls(frozen=True)
    class Nothing:
        pass

    assert len({Pair(1), Pair(1, ""), Pair(2)}) == 2
    assert len({Nothing(), Nothing()}) == 1


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize(("base", "heir"), MIXES)
def test_nothing_of_it_can_be_changed(base: Maker, heir: Maker, slots: bool):
    for cls in family(base, heir, slots=slots):
        made = cls("a")
        with pytest.raises(dataclasses.FrozenInstanceError):
            made.name = "b"
        with pytest.raises(dataclasses.FrozenInstanceError):
            del made.name
        assert made.name == "a"


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize(("base", "heir"), MIXES)
def test_it_is_replaced_copied_and_read(base: Maker, heir: Maker, slots: bool):
    for cls in family(base, heir, slots=slots):
        made = cls("a", 3, {"t": 1})

        assert dataclasses.replace(made, size=4) == cls("a", 4, {"t": 1})
        assert copy.copy(made) == copy.deepcopy(made) == made
        assert msgspec.convert({"name": "a", "size": 3, "tags": {"t": 1}}, cls) == made


def test_what_it_says_itself_stays():
    @CHEAP(frozen=True)
    class Loose:
        name: str

        def __eq__(self, other: object) -> bool:
            return str(self) == str(other)

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "loose"

        @cached_property
        def long(self) -> str:
            return self.name * 2

    assert Loose("A") == Loose("b")
    assert (repr(Loose("A")), hash(Loose("A"))) == ("loose", 7)
    assert Loose("A").long == "AA"


def test_a_field_that_must_be_given_stands_before_those_that_need_not_be():
    @CHEAP(frozen=True)
    class Named:
        name: str = ""

    wrong = CHEAP(frozen=True)(type("Wrong", (Named,), {"__annotations__": {"size": int}}))

    with pytest.raises(TypeError, match="'size' follows default argument"):
        wrong("a", 1)


def test_it_is_not_derived_from_what_can_change():
    loose = dataclasses.make_dataclass("Loose", ["name"])

    with pytest.raises(TypeError, match="cannot inherit frozen"):
        CHEAP(frozen=True)(type("Tight", (loose,), {}))


def test_a_default_that_can_change_is_refused():
    shared = type("Shared", (), {"__annotations__": {"tags": list}, "tags": list[str]()})

    with pytest.raises(ValueError, match="mutable default"):
        CHEAP(frozen=True)(shared)

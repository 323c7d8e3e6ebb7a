"""What went wrong on a thing keeps what would destroy it from running (T-18)."""

import pytest

from sayso.core.arguments import Line, UserPath
from sayso.core.operation import operation
from sayso.core.plan import Plan
from sayso.runtime.targets import Aim, Failures, aim


@operation("thing.copy", kind="write", asks="mode")
async def copy(source: UserPath, destination: UserPath, name: Line = "", ids: list[Line] | None = None) -> Plan:
    """Copy."""
    return Plan(f"{source}{destination}{name}{ids}")


HOME = "/home/ana"


def aimed(**arguments: object) -> Aim:
    return aim(copy, arguments, "", HOME)


@pytest.mark.req("T-18")
@pytest.mark.parametrize(
    ("wanted", "in_the_way"),
    [
        ("~/Documents/a.txt", 1),
        ("/home/ana/Documents/x/../a.txt", 1),
        ("~/Documents", 1),
        ("~/Documents/a.txt/inner", 1),
        ("~/Documents/a.txt2", None),
        ("~/Downloads/b.txt", 1),
        ("~/Downloads/c.txt", None),
    ],
)
def test_the_same_path_one_above_and_one_below_are_in_the_way(wanted: str, in_the_way: int | None) -> None:
    failures = Failures(HOME)

    failures.add(1, aimed(source="~/Documents/a.txt", destination="~/Downloads/b.txt"))

    assert failures.in_the_way(aimed(source=wanted, destination="~/new")) == in_the_way


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("raw", "step"), [("MOVE ~/a.txt", 3), ('X "/home/ana/a.txt', 3), ("X b.txt", None)])
def test_the_text_of_what_could_not_be_read_is_searched_for_the_path(raw: str, step: int | None) -> None:
    failures = Failures(HOME)

    failures.add(3, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/a.txt", destination="~/new")) == step


@pytest.mark.req("T-18")
def test_more_unreadable_text_than_can_be_searched_destroys_nothing() -> None:
    failures = Failures(HOME)

    for step in range(1, 40):
        failures.add(step, aim(None, {}, "x" * 2**15, HOME))

    assert failures.in_the_way(aimed(source="~/any", destination="~/thing")) == 32


@pytest.mark.req("T-18")
def test_of_several_unreadable_texts_the_one_that_names_the_path_is_found() -> None:
    failures = Failures(HOME)

    for step, raw in enumerate(["MOVE a", "COPY ~/b.txt", "X ~/c.txt"], 1):
        failures.add(step, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/b.txt", destination="~/new")) == 2
    assert failures.in_the_way(aimed(source="~/c.txt", destination="~/new")) == 3
    assert failures.in_the_way(aimed(source="~/d.txt", destination="~/new")) is None


def test_other_targets_are_met_by_their_name() -> None:
    failures = Failures(HOME)

    failures.add(2, aimed(source="~/1", destination="~/2", name="wine", ids=["a", "b"]))

    assert failures.in_the_way(Aim(names=frozenset({"name:wine"}))) == 2
    assert failures.in_the_way(Aim(names=frozenset({"ids:b"}))) == 2
    assert failures.in_the_way(Aim(names=frozenset({"name:b"}))) is None


def test_the_first_step_that_went_wrong_is_named() -> None:
    failures = Failures(HOME)

    failures.add(4, aimed(source="~/a", destination="~/b"))
    failures.add(2, aimed(source="~/a/c", destination="~/d"))

    assert failures.in_the_way(aimed(source="~/a", destination="~/x")) == 2

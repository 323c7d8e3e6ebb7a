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

    assert failures.in_the_way(aimed(source=wanted, destination="~/new"), 50) == in_the_way


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("raw", "step"), [("MOVE ~/a.txt", 3), ('X "/home/ana/a.txt', 3), ("X b.txt", None)])
def test_the_text_of_what_could_not_be_read_is_searched_for_the_path(raw: str, step: int | None) -> None:
    failures = Failures(HOME)

    failures.add(3, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/a.txt", destination="~/new"), 50) == step


@pytest.mark.req("T-18")
def test_more_unreadable_text_than_can_be_searched_destroys_nothing() -> None:
    failures = Failures(HOME)

    for step in range(1, 40):
        failures.add(step, aim(None, {}, "x" * 2**15, HOME))

    assert failures.in_the_way(aimed(source="~/any", destination="~/thing"), 50) == 32


@pytest.mark.req("T-18")
def test_of_several_unreadable_texts_the_one_that_names_the_path_is_found() -> None:
    failures = Failures(HOME)

    for step, raw in enumerate(["MOVE a", "COPY ~/b.txt", "X ~/c.txt"], 1):
        failures.add(step, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/b.txt", destination="~/new"), 50) == 2
    assert failures.in_the_way(aimed(source="~/c.txt", destination="~/new"), 50) == 3
    assert failures.in_the_way(aimed(source="~/d.txt", destination="~/new"), 50) is None


def test_other_targets_are_met_by_their_name() -> None:
    failures = Failures(HOME)

    failures.add(2, aimed(source="~/1", destination="~/2", name="wine", ids=["a", "b"]))

    assert failures.in_the_way(Aim(names=frozenset({"name:wine"})), 50) == 2
    assert failures.in_the_way(Aim(names=frozenset({"ids:b"})), 50) == 2
    assert failures.in_the_way(Aim(names=frozenset({"name:b"})), 50) is None


def test_the_first_step_that_went_wrong_is_named() -> None:
    failures = Failures(HOME)

    failures.add(4, aimed(source="~/a", destination="~/b"))
    failures.add(2, aimed(source="~/a/c", destination="~/d"))

    assert failures.in_the_way(aimed(source="~/a", destination="~/x"), 50) == 2


@pytest.mark.req("T-18")
def test_only_what_comes_before_is_in_the_way_in_whatever_order_it_became_known() -> None:
    failures = Failures(HOME)

    failures.add(6, aimed(source="~/a", destination="~/b/c", name="wine"))
    failures.add(7, aim(None, {}, "X ~/raw and ~/raw", HOME))
    before = [failures.in_the_way(aimed(source=source, destination="~/x"), 5) for source in ("~/a", "~/b", "~/raw")]
    failures.add(4, aimed(source="~/a", destination="~/b/c", name="wine"))
    failures.add(3, aim(None, {}, "Y", HOME))
    failures.add(2, aim(None, {}, "Z ~/raw", HOME))
    after = [failures.in_the_way(aimed(source=source, destination="~/x"), 5) for source in ("~/a", "~/b", "~/raw")]

    assert before == [None, None, None]
    assert after == [4, 4, 2]
    assert failures.in_the_way(Aim(names=frozenset({"name:wine"})), 4) is None
    assert failures.in_the_way(aimed(source="~/raw", destination="~/x"), 2) is None


@pytest.mark.req("T-18")
def test_what_is_too_much_to_search_is_in_the_way_of_what_comes_after_it_alone() -> None:
    failures = Failures(HOME)

    for step in (*range(50, 90), 10):
        failures.add(step, aim(None, {}, "x" * 2**15, HOME))

    found = [failures.in_the_way(aimed(source="~/any", destination="~/thing"), step) for step in (10, 11, 60)]
    assert found == [None, 10, 10]

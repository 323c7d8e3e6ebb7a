"""Numbers mean the tabs of the snapshot; one wrong number refuses all."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.browser.numbers import meant
from sayso.providers.browser.store import Snapshot, Tab


def tab(number: int) -> Tab:
    return Tab(f"t{number}", number, "w", 1, number, f"https://{number}.example", "", False, Fact(""))


def snapshot(*numbers: int, closed: tuple[int, ...] = ()) -> Snapshot:
    return Snapshot(tuple(tab(number) for number in numbers), frozenset(closed))


FIVE = snapshot(1, 2, 3, 4, 5)


@pytest.mark.req("T-102", "S4-31")
def test_tabs_come_highest_first_and_each_once():
    eight = snapshot(*range(1, 9))

    assert [found.index for found in meant(eight, [2, 5, 8, 5])] == [8, 5, 2]


@pytest.mark.req("T-102", "S4-50")
@pytest.mark.parametrize(
    ("tabs", "numbers", "says"),
    [
        (FIVE, [2, 99], "there is no tab 99; there are 5 tabs, numbered 1 to 5"),
        (FIVE, [6, 1, 9, 7], "there is no tab 6, 7 and 9; there are 5 tabs, numbered 1 to 5"),
        (snapshot(1), [2], "there is no tab 2; there is 1 tab, numbered 1"),
        (snapshot(), [1], "there is no tab 1; no tab is open"),
        (snapshot(1, 3, closed=(2,)), [2], "tab 2 is closed by an earlier action"),
        (snapshot(2, closed=(1, 3)), [1, 3], "tab 1 and 3 are closed by an earlier action"),
    ],
)
def test_a_number_without_a_tab_is_named_with_the_range(tabs: Snapshot, numbers: list[int], says: str):
    with pytest.raises(ProviderError) as no:
        meant(tabs, numbers)

    assert str(no.value) == says


def test_a_tab_without_a_number_is_meant_by_none():
    with pytest.raises(ProviderError):
        meant(snapshot(1, 0), [0])

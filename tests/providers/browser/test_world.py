"""Tabs open, close and come to the front as a browser's do."""

from sayso.providers.browser.world import World, closed, fronted, opened, planted

FIVE = planted({})


def ids(world: World) -> list[list[str]]:
    return [[tab.id for tab in window.tabs] for window in world.windows]


def test_a_world_without_words_has_two_windows_of_two_and_three_tabs():
    assert ids(FIVE) == [["tab-1", "tab-2"], ["tab-3", "tab-4", "tab-5"]]
    assert FIVE.active == "tab-1"


def test_a_tab_opens_at_the_end_of_the_window_in_front():
    world, tab = opened(FIVE, "https://a.example")

    assert ids(world) == [["tab-1", "tab-2", tab.id], ["tab-3", "tab-4", "tab-5"]]
    assert world.active == tab.id


def test_a_tab_opens_again_where_it_was():
    world, tab = opened(closed(FIVE, ("tab-4",)), "https://a.example", "window-2", 2)

    assert ids(world)[1] == ["tab-3", tab.id, "tab-5"]


def test_closing_the_active_tab_brings_its_neighbour_to_the_front():
    assert closed(FIVE, ("tab-1",)).active == "tab-2"
    assert closed(fronted(FIVE, "tab-5"), ("tab-5",)).active == "tab-4"
    assert closed(fronted(FIVE, "tab-3"), ("tab-3", "tab-4")).active == "tab-5"


def test_closing_a_new_tab_goes_back_to_the_one_it_was_opened_from():
    world, tab = opened(fronted(FIVE, "tab-3"), "https://a.example")

    assert closed(world, (tab.id,)).active == "tab-3"


def test_a_window_without_tabs_closes():
    world = closed(FIVE, ("tab-1", "tab-2"))

    assert ids(world) == [["tab-3", "tab-4", "tab-5"]]
    assert world.active == "tab-3"


def test_without_a_window_a_tab_makes_one():
    world, tab = opened(closed(FIVE, tuple(tab.id for tab in FIVE.tabs)), "https://a.example")

    assert ids(world) == [[tab.id]]
    assert world.active == tab.id


def test_what_is_not_there_does_not_come_to_the_front():
    assert fronted(FIVE, "tab-9") == FIVE

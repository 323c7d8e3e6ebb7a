"""A tab keeps its id from one session to the next while its page stays; one that only looks alike never gets it."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.browser.bidi.known import Notes, Sight, recognised

FRESH = Notes("run")


def sights(session: str, *pages: tuple[str, str], window: str = "w") -> list[Sight]:
    """Return tabs of one window as a session shows them: what each shows, and when that began."""
    return [Sight(f"{session}{place}", f"{session}{window}", url, began) for place, (url, began) in enumerate(pages)]


def ids(notes: Notes) -> list[str]:
    return [tab.id for tab in notes.tabs]


def test_within_a_session_a_tab_stays_itself_wherever_it_goes():
    first = recognised(FRESH, sights("a", ("x", "1"), ("y", "2")))
    second = recognised(first, sights("a", ("elsewhere", "9"), ("y", "2")))

    assert ids(second) == ids(first)
    assert len(set(ids(first))) == 2


def test_in_the_next_session_it_is_known_by_its_page():
    first = recognised(FRESH, sights("a", ("x", "1"), ("y", "2")))
    second = recognised(first, sights("b", ("y", "2"), ("x", "1")))

    assert ids(second) == list(reversed(ids(first)))
    assert [tab.window for tab in second.tabs] == [tab.window for tab in first.tabs]


def test_a_page_that_changed_its_own_address_is_still_the_same_load():
    first = recognised(FRESH, sights("a", ("x", "1")))

    assert ids(recognised(first, sights("b", ("x#part", "1")))) == ids(first)


def test_a_page_that_was_loaded_anew_is_another():
    first = recognised(FRESH, sights("a", ("x", "1")))

    assert ids(recognised(first, sights("b", ("x", "2")))) != ids(first)


def test_of_two_that_look_alike_neither_is_taken_for_the_other():
    first = recognised(FRESH, sights("a", ("x", "1"), ("x", "1")))
    second = recognised(first, sights("b", ("x", "1"), ("x", "1")))
    one_left = recognised(first, sights("b", ("x", "1")))

    assert not set(ids(first)) & set(ids(second))
    assert not set(ids(first)) & set(ids(one_left))


def test_a_page_that_does_not_answer_is_known_by_its_address_alone_if_no_other_has_it():
    first = recognised(FRESH, sights("a", ("x", ""), ("y", "")))

    assert ids(recognised(first, sights("b", ("y", ""), ("z", "")))) == [ids(first)[1], "run.4"]


def test_an_id_is_never_given_twice():
    first = recognised(FRESH, sights("a", ("x", "1")))
    gone = recognised(first, [])
    again = recognised(gone, sights("a", ("x", "1")))

    assert not set(ids(first)) & set(ids(again))


def test_a_window_is_the_one_that_most_of_its_tabs_were_in():
    left = sights("a", ("1", "1"), ("2", "2"), ("3", "3"))
    right = sights("A", ("4", "4"))
    first = recognised(FRESH, [*left, *right])
    moved = [*sights("b", ("2", "2"), ("3", "3"), ("4", "4")), *sights("B", ("1", "1"))]

    second = recognised(first, moved)

    assert [tab.window for tab in second.tabs[:3]] == [first.tabs[0].window] * 3
    assert second.tabs[3].window not in {first.tabs[0].window, first.tabs[3].window}


def test_addresses_are_not_written_down():
    notes = recognised(FRESH, sights("a", ("https://bank.example/secret", "1")))

    assert b"secret" not in msgspec.json.encode(notes)


PAGES = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "1", "2"])), max_size=6)


@given(before=PAGES, after=PAGES)
def test_whatever_is_seen_no_two_tabs_share_an_id_and_none_goes_to_another_page(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
):
    first = recognised(FRESH, sights("a", *before))
    second = recognised(first, sights("b", *after))

    assert len(set(ids(second))) == len(after)
    were = dict(zip(ids(first), before, strict=True))
    for tab, (url, began) in zip(second.tabs, after, strict=True):
        if tab.id in were:
            assert were[tab.id] == (url, began) or (began and were[tab.id][1] == began)

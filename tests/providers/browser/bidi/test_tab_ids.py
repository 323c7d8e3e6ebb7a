"""Tabs of Firefox keep their ids from one session to the next, and notes on them are written by one sayso at a time."""

import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.browser.bidi import session
from sayso.providers.browser.bidi.session import SeenTab, TabNotes, lock_notes, recognize_tabs
from sayso.runtime.system import SystemClock
from tests.patience import patience

FRESH = TabNotes("run")


def seen(session: str, *pages: tuple[str, str], window: str = "w") -> list[SeenTab]:
    """Return tabs of one window as a session shows them: what each shows, and when that began."""
    return [SeenTab(f"{session}{place}", f"{session}{window}", url, began) for place, (url, began) in enumerate(pages)]


def ids(notes: TabNotes) -> list[str]:
    return [tab.id for tab in notes.tabs]


def test_within_a_session_a_tab_stays_itself_wherever_it_goes():
    first = recognize_tabs(FRESH, seen("a", ("x", "1"), ("y", "2")))
    second = recognize_tabs(first, seen("a", ("elsewhere", "9"), ("y", "2")))

    assert ids(second) == ids(first)
    assert len(set(ids(first))) == 2


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([("x", "1"), ("y", "2")], [("y", "2"), ("x", "1")], [1, 0]),
        ([("x", "1")], [("x#part", "1")], [0]),
        ([("x", "1")], [("x", "2")], [None]),
    ],
    ids=["known by its page", "changed its own address", "loaded anew"],
)
def test_in_the_next_session_a_tab_is_known_by_its_load(
    before: list[tuple[str, str]], after: list[tuple[str, str]], same: list[int | None]
):
    first = recognize_tabs(FRESH, seen("a", *before))
    second = recognize_tabs(first, seen("b", *after))

    assert [{id_: place for place, id_ in enumerate(ids(first))}.get(id_) for id_ in ids(second)] == same
    assert None in same or {tab.window for tab in second.tabs} == {tab.window for tab in first.tabs}


def test_of_two_that_look_alike_neither_is_taken_for_the_other():
    first = recognize_tabs(FRESH, seen("a", ("x", "1"), ("x", "1")))
    second = recognize_tabs(first, seen("b", ("x", "1"), ("x", "1")))
    one_left = recognize_tabs(first, seen("b", ("x", "1")))

    assert not set(ids(first)) & set(ids(second))
    assert not set(ids(first)) & set(ids(one_left))


def test_a_page_that_does_not_answer_is_known_by_its_address_alone_if_no_other_has_it():
    first = recognize_tabs(FRESH, seen("a", ("x", ""), ("y", "")))

    assert ids(recognize_tabs(first, seen("b", ("y", ""), ("z", "")))) == [ids(first)[1], "run.4"]


def test_an_id_is_never_given_twice_and_addresses_are_not_written_down():
    first = recognize_tabs(FRESH, seen("a", ("https://bank.example/secret", "1")))
    gone = recognize_tabs(first, [])
    again = recognize_tabs(gone, seen("a", ("https://bank.example/secret", "1")))

    assert not set(ids(first)) & set(ids(again))
    assert b"secret" not in msgspec.json.encode(first)


def test_a_window_is_the_one_that_most_of_its_tabs_were_in():
    left = seen("a", ("1", "1"), ("2", "2"), ("3", "3"))
    right = seen("A", ("4", "4"))
    first = recognize_tabs(FRESH, [*left, *right])
    moved = [*seen("b", ("2", "2"), ("3", "3"), ("4", "4")), *seen("B", ("1", "1"))]

    second = recognize_tabs(first, moved)

    assert [tab.window for tab in second.tabs[:3]] == [first.tabs[0].window] * 3
    assert second.tabs[3].window not in {first.tabs[0].window, first.tabs[3].window}


PAGES = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "1", "2"])), max_size=6)


@given(before=PAGES, after=PAGES)
def test_whatever_is_seen_no_two_tabs_share_an_id_and_none_goes_to_another_page(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
):
    first = recognize_tabs(FRESH, seen("a", *before))
    second = recognize_tabs(first, seen("b", *after))

    assert len(set(ids(second))) == len(after)
    were = dict(zip(ids(first), before, strict=True))
    for tab, (url, began) in zip(second.tabs, after, strict=True):
        if tab.id in were:
            assert were[tab.id] == (url, began) or (began and were[tab.id][1] == began)


CLOCK = SystemClock()


def test_what_one_keeps_the_next_finds(tmp_path: Path):
    with lock_notes(str(tmp_path), "1.json", CLOCK) as file:
        file.save(TabNotes("run-with-a-long-name", given=7))
        file.save(TabNotes("run", given=8))
    with lock_notes(str(tmp_path), "1.json", CLOCK) as file:
        found = file.notes
    with lock_notes(str(tmp_path), "2.json", CLOCK) as file:
        other = file.notes

    assert (found, other) == (TabNotes("run", given=8), TabNotes())
    assert (tmp_path / "firefox" / "1.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "firefox").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("text", ["", "{", '{"run": 1}', "[]", "\0"])
def test_what_cannot_be_read_is_forgotten(tmp_path: Path, text: str):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "firefox" / "1.json").write_text(text)

    with lock_notes(str(tmp_path), "1.json", CLOCK) as file:
        assert file.notes == TabNotes()


def test_a_second_waits_for_the_first(tmp_path: Path):
    order: list[str] = []
    begun = threading.Event()

    def second() -> None:
        begun.set()
        with lock_notes(str(tmp_path), "1.json", CLOCK):
            order.append("second")

    with lock_notes(str(tmp_path), "1.json", CLOCK):
        thread = threading.Thread(target=second)
        thread.start()
        begun.wait(patience())
        order.append("first")
    thread.join(patience())

    assert order == ["first", "second"]


def test_who_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "WAITING", 0.05)

    with (
        lock_notes(str(tmp_path), "1.json", CLOCK),
        pytest.raises(ProviderError, match="another sayso is busy"),
        lock_notes(str(tmp_path), "1.json", CLOCK),
    ):
        pass


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "firefox" / "1.json").symlink_to(tmp_path / "mine")

    with pytest.raises(OSError, match="symbolic"), lock_notes(str(tmp_path), "1.json", CLOCK):
        pass

    assert (tmp_path / "mine").read_text() == "mine"

"""A change of a note touches nothing but its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.notes.folder.changing import after
from sayso.providers.notes.steps import AppendNote, CreateNote, CutNote, RemoveNote

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(data=st.binary(), text=TEXTS)
def test_what_is_added_can_be_taken_off_whatever_bytes_were_there(data: bytes, text: str):
    added = after(data, AppendNote("n", text, "m"))

    assert added == data + text.encode()
    assert after(added, CutNote("n", text, "m")) == data


def test_only_what_was_added_is_taken_off():
    with pytest.raises(ProviderError, match="does not end"):
        after(b"Body\nMore\n", CutNote("n", "Milk\n", "m"))


def test_a_note_is_made_with_its_head_and_goes_whole():
    made = after(None, CreateNote("n1", "Work", "Plan", "Body", "Work/Plan.md", "2026-03-14"))

    assert made == b'---\ntitle: "Plan"\ndate: 2026-03-14\ntags: []\nid: n1\n---\nBody'
    assert after(made, RemoveNote("n1")) is None


def test_nothing_is_added_to_what_is_gone():
    with pytest.raises(ProviderError, match="gone"):
        after(None, AppendNote("n", "x", "m"))

"""UIDs come back from the sets that they are written as."""

from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.imap.uids import numbers, sets


@given(st.lists(st.integers(1, 10_000_000), min_size=1, max_size=3000))
def test_uids_come_back_from_their_sets_and_no_set_is_too_long(uids: list[int]):
    said = list(sets(uids))

    assert [uid for part in said for uid in numbers(part)] == sorted(set(uids))
    assert all(len(part) < 8000 for part in said)

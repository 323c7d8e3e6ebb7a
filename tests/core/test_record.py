"""Ids are keys in thirteen characters: they sort alike, read back in any case, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.core.record import action_id, action_key, run_id, run_key

KEYS = st.integers(0, 2**63 - 1)


def crockford(number: int) -> str:
    """Write thirteen digits of base 32 as Crockford's page says, by dividing."""
    digits = ""
    for _ in range(13):
        number, digit = divmod(number, 32)
        digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit] + digits
    return digits


@given(KEYS)
def test_an_id_is_the_key_in_base_32(key: int):
    assert action_id(key) == "do_" + crockford(key)
    assert run_id(key) == "run_" + crockford(key)


@given(KEYS)
def test_an_id_reads_back_in_capitals_or_not(key: int):
    assert action_key(action_id(key)) == action_key(action_id(key).lower()) == key
    assert run_key(run_id(key)) == run_key(run_id(key).upper()) == key


@given(KEYS, KEYS)
def test_ids_sort_as_their_keys(one: int, other: int):
    assert (one < other) == (action_id(one) < action_id(other))


def test_letters_that_look_like_digits_are_read_as_digits():
    assert action_key("do_OOOOOOOOOOIL1") == action_key("do_0000000000111")


@pytest.mark.parametrize(
    "text",
    [
        "", "do_", "do_1", "do_00000000000000", "run_0000000000001", "do_000000000000U", "do_000000000000é",
        "do_000000000000_", "do_ZZZZZZZZZZZZZ", "do_+000000000001", "do_00000000 0001", "do_000000000000\u017f",
    ],
)  # fmt: skip
def test_what_is_no_id_is_refused_with_an_example(text: str):
    with pytest.raises(ProposalError, match="one looks like do_012"):
        action_key(text)


@pytest.mark.parametrize("key", [-1, 2**63])
def test_a_number_that_is_no_key_is_a_bug(key: int):
    with pytest.raises(ValueError, match="is no key"):
        action_id(key)

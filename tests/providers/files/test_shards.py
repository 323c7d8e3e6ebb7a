"""A map that never changes holds what a dict would."""

from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.files.shards import Shards


@given(st.lists(st.tuples(st.text(max_size=3), st.integers())))
def test_it_holds_what_a_dict_holds(pairs: list[tuple[str, int]]):
    shards: Shards[int] = Shards()
    for name, value in pairs:
        shards = shards.set(name, value)

    assert dict(shards.items()) == dict(pairs)
    assert all(shards.get(name) == value for name, value in dict(pairs).items())
    assert shards.get("no such name") is None


def test_what_was_there_before_stays_as_it_was():
    first = one("a", 1)
    second = first.set("a", 2).set("b", 3)

    assert dict(first.items()) == {"a": 1}
    assert dict(second.items()) == {"a": 2, "b": 3}


def one(name: str, value: int) -> Shards[int]:
    shards: Shards[int] = Shards()
    return shards.set(name, value)

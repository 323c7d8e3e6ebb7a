"""An argument that is an object is held as strictly as any other."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from sayso.core.arguments import Line
from sayso.core.errors import ProposalError
from sayso.core.objects import members_of, read_object


class Wish(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """What is read in these tests."""

    name: Line
    sender: Line | None = None
    count: Annotated[int, Meta(ge=1, le=9)] = 1


def test_what_fits_is_read_and_the_rest_has_its_default():
    assert read_object("wish", {"name": "a", "from": "b"}, Wish) == Wish("a", "b", 1)


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({}, "arguments.missing", "“wish” needs “name”"),
        ({"name": "a", "sender": "b"}, "arguments.unknown", "it takes name, from, count"),
        ({"name": "a", "count": 10}, "arguments.type", "“wish.count” must be a whole number from 1 to 9"),
        ({"name": "a", "count": True}, "arguments.type", "“wish.count”"),
        ({"name": "a", "count": "3"}, "arguments.type", "“wish.count”"),
        ({"name": ""}, "arguments.type", "“wish.name” must be a text that is not empty"),
        ({"name": "a\r\nBcc: b"}, "arguments.characters", "control character"),
        ({"name": "a", "from": "b\x00"}, "arguments.characters", "“wish.from”"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_member_named(given: dict[str, object], code: str, says: str):
    with pytest.raises(ProposalError) as refused:
        read_object("wish", given, Wish)

    assert refused.value.code == code
    assert says in str(refused.value)


def test_the_schema_names_the_members_and_takes_no_others():
    schema = members_of(Wish)

    assert str(schema["properties"]).startswith("{'name'")
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False

"""The name of a message file says what it is called, and which flags it has."""

import pytest

from sayso.providers.mail.maildir.names import Name, read_name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("1767.M1P2.host:2,FS", Name("1767.M1P2.host", "FS")),
        ("1767.M1P2.host:2,", Name("1767.M1P2.host")),
        ("1767.M1P2.host", Name("1767.M1P2.host")),
        ("1767.M1,S=12,W=14:2,Sab", Name("1767.M1,S=12,W=14", "Sab")),
        ("1767.host:1,experimental", Name("1767.host")),
        (".hidden", None),
    ],
)
def test_a_name_is_taken_apart(file: str, name: Name | None):
    assert read_name(file) == name


def test_letters_stand_in_their_order():
    name = Name("u").having({"S", "F", "a"})

    assert str(name) == "u:2,FSa"
    assert (name.flags, name.keywords) == (("starred", "read"), (0,))

"""A standing permission is a value of its own, which nothing changes in place."""

import pytest
from msgspec.structs import fields

from sayso.core.grant import Grant, Wish

GRANT = Grant("grant_1", "file.move", {}, "2026-12-21T12:00:00Z", "2026-11-21T12:00:00Z")


def test_it_cannot_be_widened_in_place():
    for field in fields(Grant):
        with pytest.raises(AttributeError):
            setattr(GRANT, field.name, None)


def test_as_it_is_given_it_was_never_used_and_holds():
    assert (GRANT.uses, GRANT.last_used, GRANT.revoked, GRANT.varies) == (0, None, False, ())


def test_a_wish_is_narrow_by_itself():
    assert (Wish("do_1").vary, Wish("do_1").seconds, Wish("do_1").uses) == ((), None, None)

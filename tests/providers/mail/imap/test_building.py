"""Without its packages mail on a server says with which command they come."""

import sys

import pytest

from sayso.core.errors import SetupError
from sayso.providers.mail.imap.building import build
from tests.providers.mail.imap.test_client import ground


def test_the_backend_is_built_for_the_account():
    assert build(ground()).name == "imap:ana"


def test_a_missing_package_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch):
    for name in list(sys.modules):
        if name.startswith("sayso.providers.mail.imap."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "imapclient", None)

    with pytest.raises(SetupError, match=r"imapclient.*, which is not installed; pip install 'sayso\[mail\]'"):
        build(ground())

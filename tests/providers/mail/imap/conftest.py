"""One Dovecot for the tests of a file."""

from collections.abc import Iterator

import pytest

from tests.mail_env.accounts import Dovecot


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    """Give a server that ends with the tests of this file."""
    with Dovecot() as there:
        yield there

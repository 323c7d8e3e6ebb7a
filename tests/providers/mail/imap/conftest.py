"""One server for the tests of a file."""

from collections.abc import Iterator

import pytest

from tests.mail_env.accounts import Accounts, accounts


@pytest.fixture(scope="module")
def server() -> Iterator[Accounts]:
    """Give a server that ends with the tests of this file."""
    with accounts() as there:
        yield there

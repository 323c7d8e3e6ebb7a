"""One server for the tests of these files."""

from collections.abc import Iterator

import pytest

from tests.mail_env.accounts import Accounts, accounts


@pytest.fixture(scope="package")
def server() -> Iterator[Accounts]:
    """Give a server that ends with the tests of this folder."""
    with accounts() as there:
        yield there

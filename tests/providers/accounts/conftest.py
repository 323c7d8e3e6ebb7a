"""One keyring for the tests of these files."""

from collections.abc import Iterator

import pytest

from tests.mail_env.keyrings import SecretService, secret_service


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Give a keyring that ends with the tests of a file."""
    with secret_service() as there:
        yield there

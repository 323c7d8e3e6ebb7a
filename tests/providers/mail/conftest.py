"""A certificate for the servers of these tests."""

from pathlib import Path

import pytest

from tests.mail_env.certificates import certificate_of


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of “localhost” that nobody vouches for, with its key in one file."""
    return certificate_of("localhost", tmp_path_factory.mktemp("tls"))

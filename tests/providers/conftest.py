"""Fixtures that tests of several providers share: both ways of opening folders, another disk, a certificate."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.disk.syscalls import Beneath, beneath, open_below, openat2
from tests.mail_env.certificates import certificate_of
from tests.providers.files.local.kernels import mount


@pytest.fixture(params=[openat2, open_below], ids=["openat2", "walked"])
def way(request: pytest.FixtureRequest) -> Beneath:
    """Return one way of opening folders without following links; the first needs a kernel that has it."""
    if request.param is openat2 and beneath() is not openat2:
        pytest.skip("needs openat2 (Linux 5.6)")
    return request.param


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Return another disk, mounted within the documents."""
    place = tmp_path / "home/Documents/a/disk"
    place.mkdir(parents=True)
    mount("-t", "tmpfs", "-o", "size=8m", "none", place)
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of “localhost” that nobody vouches for, with its key in one file."""
    return certificate_of("localhost", tmp_path_factory.mktemp("tls"))

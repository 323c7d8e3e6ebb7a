"""Give tests a desk: one, or one for each way of opening folders without following links."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.disk.syscalls import Beneath, beneath
from tests.providers.files.local.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk that opens folders as this machine does best."""
    made = Desk(tmp_path, beneath())
    yield made
    made.backend.close()


@pytest.fixture
def each_desk(tmp_path: Path, way: Beneath) -> Iterator[Desk]:
    """Return a desk for each way of opening folders, where that is what is tried."""
    made = Desk(tmp_path, way)
    yield made
    made.backend.close()

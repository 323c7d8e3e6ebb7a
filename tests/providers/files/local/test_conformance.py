"""The file store on a disk is a file backend like any other."""

import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.ports import Backend
from sayso.providers.files.local.backend import build
from sayso.testing.files import FilesSuite, FileStage, Wish
from tests.providers.files.batches import hold_against_the_world, wishes
from tests.providers.files.staged import DiskStage


class LocalStage(DiskStage):
    """A disk with the local backend on it."""

    def backend(self) -> Backend:
        return build(self.ground())


@contextmanager
def staged() -> Generator[LocalStage]:
    with tempfile.TemporaryDirectory() as base:
        yield LocalStage(Path(base))


@pytest.mark.req("FS-01", "FS-02", "UN-01", "T-21", "S0-77")
class TestLocal(FilesSuite):
    """The suite on a real disk."""

    def stage(self) -> AbstractContextManager[FileStage]:
        return staged()


@settings(max_examples=8)
@given(data=st.data())
async def test_what_a_batch_is_shown_is_what_is_there_once_it_was_done(data: st.DataObject):
    with staged() as stage:
        batch: list[Wish] = data.draw(wishes(stage.root))

        await hold_against_the_world(stage, batch)

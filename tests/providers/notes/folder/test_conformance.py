"""A folder of Markdown files behaves as any other notes backend."""

from pathlib import Path

import pytest

from sayso.core.ports import Backend, Ground
from sayso.providers.notes.folder import build
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.notes import NotesSuite


class TestFolder(NotesSuite):
    """The suite on a folder."""

    @pytest.fixture(autouse=True)
    def somewhere(self, tmp_path: Path) -> None:
        self.home, self.made = tmp_path, 0

    def make(self) -> Backend:
        self.made += 1
        top = self.home / f"vault{self.made}"
        (top / "Work").mkdir(parents=True)
        return build(Ground({"path": str(top)}, str(self.home), str(self.home), (), FakeClock(), NumberedIds()))

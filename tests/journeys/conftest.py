"""What journeys start once for all tests that a worker runs."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Dying:
    """The program in which deeds die; it is started once, and asked for one deed after the other."""

    def __init__(self, folder: Path) -> None:
        run = [sys.executable, "-m", "tests.journeys.dying"]
        self._folder = folder
        self._asked = 0
        self.process = subprocess.Popen(run, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, how: str, name: str, where: str, base: Path | None = None) -> list[str]:
        """Return the lines of one answer."""
        ears, mouth = self.process.stdin, self.process.stdout
        assert ears is not None
        assert mouth is not None
        self._asked += 1
        ears.write(json.dumps([how, name, str(base or self._folder / str(self._asked)), where]) + "\n")
        ears.flush()
        lines: list[str] = []
        while (line := mouth.readline()) != "\n":
            assert line, "the program in which deeds die has ended"
            lines.append(line.removesuffix("\n"))
        return lines

    def end(self) -> None:
        """Let it end, and remove what it left."""
        self.process.communicate()
        shutil.rmtree(self._folder)


@pytest.fixture(scope="session")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    """Return the program in which processes die."""
    made = Dying(tmp_path_factory.mktemp("dying"))
    yield made
    made.end()

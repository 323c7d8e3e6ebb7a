"""Follow one `file.move` of the command line from its text to the rename and back, and count what it passes.

`python -m bench.sides.walk` prints one JSON object. `imports` are the modules of sayso that a process of its own
imports for it; the rest is counted once all of them are there: `calls` of sayso's functions, how many different
`functions` and `modules` that were, how many `frames` of sayso lay between the command and the rename (down to the
backend, and from the beginning of its thread on), and how often the `engine` was entered or gone on with after a wait.
"""

import io
import json
import os
import sys
import threading
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

RENAME = "rename_to_free"
BACKEND = "files/local/backend.py"
ENGINE = ("runtime/engine.py", "runtime/path.py")


class Walk:
    """Counts calls of the code below `root`."""

    def __init__(self, root: str) -> None:
        self.calls = 0
        self.engine = 0
        self._backend = 0
        self._rename = 0
        self.codes: set[CodeType] = set()
        self._root = root

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Count one event of `sys.setprofile`."""
        if event != "call" or not frame.f_code.co_filename.startswith(self._root):
            return
        self.calls += 1
        self.codes.add(frame.f_code)
        self.engine += frame.f_code.co_filename.endswith(ENGINE)
        if frame.f_code.co_name == RENAME:
            self._rename = max(self._rename, self._depth(frame))
        elif frame.f_code.co_name == "apply" and frame.f_code.co_filename.endswith(BACKEND):
            self._backend = max(self._backend, self._depth(frame))

    @property
    def frames(self) -> int:
        """Return how many frames lie above each other at the rename, its thread's beneath the backend's."""
        return self._backend + self._rename

    def _depth(self, frame: FrameType | None) -> int:
        depth = 0
        while frame is not None:
            depth += frame.f_code.co_filename.startswith(self._root)
            frame = frame.f_back
        return depth


def walked(home: Path, number: int) -> Walk:
    """Move a file by the command line; return what that passed. Raises `RuntimeError` when it was not moved."""
    sayso = import_module("sayso.surfaces.cli.main").main  # late, since what it imports is counted

    (home / "Documents" / "a.txt").write_text("a")
    text = home / f"move-{number}"
    text.write_text(f"MOVE_FILE ~/Documents/a.txt ~/Documents/b-{number}.txt\n")
    walk, said = Walk(str(Path(sys.modules["sayso"].__file__ or "").parent)), io.StringIO()
    with redirect_stdout(said):
        threading.setprofile(walk)
        sys.setprofile(walk)
        code = sayso(["run", str(text), "--dialect", "lines", "--mode", "never"])
        sys.setprofile(None)
        threading.setprofile(None)
    if code != 0 or not (home / "Documents" / f"b-{number}.txt").exists():
        raise RuntimeError(f"the move ended with {code}: {said.getvalue()}")
    return walk


def main() -> int:
    """Move a file twice, and count at the second time."""
    with TemporaryDirectory(prefix="walk-") as folder:
        home = Path(folder).resolve()
        (home / "Documents").mkdir()
        os.environ |= {"HOME": str(home), "SAYSO_HOME": str(home / "sayso")}
        walked(home, 1)
        imports = sum(name.split(".")[0] == "sayso" for name in sys.modules)
        walk = walked(home, 2)
    found = {
        "imports": imports,
        "calls": walk.calls,
        "functions": len(walk.codes),
        "modules": len({code.co_filename for code in walk.codes}),
        "frames": walk.frames,
        "engine": walk.engine,
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

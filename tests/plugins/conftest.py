"""A small project of its own, run by its own pytest with the project's plugins."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import hypothesis.core
import pytest

ROOT = Path(__file__).parent.parent.parent
OURS = ("proofs", "requirements", "results", "rings", "scratch", "seeds", "skips")
PLUGINS = ("xdist", "_hypothesis_pytestplugin", *(f"tests.plugins.{name}" for name in OURS))


Results = dict[str, str | list[str]]


@dataclass(frozen=True)
class Run:
    """What a run of the small project came to."""

    code: int
    out: str
    tests: dict[str, Results]

    @property
    def last_line(self) -> str:
        """Return the last line it printed."""
        return self.out.splitlines()[-1]

    def outcome(self, name: str) -> object:
        """Return what the test whose id ends with `name` came to."""
        (found,) = [test["outcome"] for node, test in self.tests.items() if node.endswith(f"::{name}")]
        return found


class Runner(Protocol):
    """Runs `source` as the one test file: `run(source, "-n2", ci=True)`."""

    def __call__(self, source: str, *arguments: str, ci: bool = False) -> Run: ...


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Return what runs a test file in a project made for it: in this process, or in another where it has workers."""
    # Each run in this process sets a seed of its own.
    monkeypatch.setattr(hypothesis.core, "global_force_seed", hypothesis.core.global_force_seed)

    def run(source: str, *arguments: str, ci: bool = False) -> Run:
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("CI", "true" if ci else "")
        lists = pytester.path / "tests"
        lists.mkdir(exist_ok=True)
        (lists / "requirements.txt").write_text("".join(f"S0-{n:02}\n" for n in range(1, 10)))
        (lists / "other_ids.txt").write_text("T-01\n")
        pytester.makepyprojecttoml(
            '[tool.pytest]\nstrict = true\nmarkers = ["req(*i)", "needs(*c)", "macos", "thorough"]'
        )
        pytester.makepyfile(source)
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        plugins = [word for name in PLUGINS for word in ("-p", name)]
        workers = any(word.startswith("-n") and word != "-n0" for word in arguments)
        runs = pytester.runpytest_subprocess if workers else pytester.runpytest_inprocess
        result = runs(*plugins, *arguments)
        written = pytester.path / ".build" / "tests.json"
        tests: dict[str, Results] = json.loads(written.read_text()) if written.exists() else {}
        return Run(int(result.ret), result.stdout.str().strip(), tests)

    return run

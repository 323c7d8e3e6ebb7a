"""The public names are there, with their types; `import sayso` loads nothing else; the package runs as a module."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sayso
from sayso.core.version import VERSION


@pytest.mark.parametrize("name", dir(sayso))
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(sayso, name).__name__ == name or name in {"open_home", "Policy"}


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sayso.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def test_the_stub_names_exactly_what_there_is() -> None:
    stub = Path(sayso.__file__).with_suffix(".pyi").read_text("utf-8")

    lines = [line.rpartition(" as ")[2] for line in stub.splitlines() if line.startswith("from ")]

    assert sorted(lines) == dir(sayso)


def test_importing_sayso_imports_no_room_of_it() -> None:
    code = "import sys, sayso; print(sorted(name for name in sys.modules if name.startswith('sayso')))"

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "['sayso']"


def test_the_module_is_the_program_and_says_the_version_that_was_built() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))
    run = subprocess.run([sys.executable, "-m", "sayso", "--version"], capture_output=True, text=True, check=True)

    assert project["project"]["version"] == VERSION
    assert run.stdout.strip() == f"sayso {VERSION}"

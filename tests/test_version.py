"""The version that is printed is the one that was built."""

import tomllib
from pathlib import Path

from sayso.version import VERSION


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))

    assert project["project"]["version"] == VERSION

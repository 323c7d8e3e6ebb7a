"""A command opens the home that the environment names, and no other."""

import io
import os
from pathlib import Path

from sayso.assembly import Home
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import UNLIMITED, in_home, settings_of, width_of


def here(folder: Path) -> Here:
    return Here(io.StringIO(), io.StringIO(), None, {**os.environ, "SAYSO_HOME": str(folder)})


async def mode_of(home: Home) -> str:
    return home.tools.policy().mode


def test_the_home_of_the_environment_is_opened(tmp_path: Path):
    assert in_home(here(tmp_path / "one"), mode_of) == "destructive"

    assert (tmp_path / "one" / "sayso.db").exists()


def test_a_mode_holds_for_this_opening_alone(tmp_path: Path):
    assert in_home(here(tmp_path / "one"), mode_of, mode="always") == "always"
    assert in_home(here(tmp_path / "one"), mode_of) == "destructive"


def test_settings_are_read_without_making_anything(tmp_path: Path):
    assert settings_of(here(tmp_path / "one")).policy.mode == "destructive"
    assert not (tmp_path / "one").exists()


def test_what_goes_into_a_file_is_not_wrapped(tmp_path: Path):
    assert width_of(here(tmp_path)) == UNLIMITED

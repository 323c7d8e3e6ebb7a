"""Where things are."""

from pathlib import Path

import pytest

from sayso.config.places import in_folder, named_by_the_desktop, person_home, places
from sayso.core.errors import SetupError


def test_one_folder_holds_settings_and_state_where_it_is_named(tmp_path: Path):
    at = places({"HOME": "/home/ana", "SAYSO_HOME": str(tmp_path / "s")})

    assert at.config == tmp_path / "s" / "config.toml"
    assert at.database == tmp_path / "s" / "sayso.db"
    assert at.actions == tmp_path / "s" / "actions"
    assert at.logs == tmp_path / "s" / ".logs" / "actions"
    assert (at.trash, at.scratch) == (tmp_path / "s" / "trash", tmp_path / "s" / "tmp")
    assert at.own_folders == (tmp_path / "s",)
    assert not (tmp_path / "s").exists()


def test_without_it_the_folders_of_the_platform_are_used(scratch_home: Path):
    at = places({"HOME": str(scratch_home)})

    assert at.home.is_relative_to(scratch_home)
    assert at.config.is_relative_to(scratch_home)
    assert (at.home.name, at.config.name) == ("sayso", "config.toml")
    assert at.config.parent in at.own_folders


def test_a_tilde_means_the_persons_home():
    assert in_folder("~/s", Path("/home/ana")).home == Path("/home/ana/s")
    assert person_home({"HOME": "/home/ana/"}) == Path("/home/ana")


@pytest.mark.parametrize("folder", ["/", "~", "/home/ana", "/home/ana/x/.."])
def test_the_whole_home_or_disk_cannot_be_saysos_own(folder: str):
    with pytest.raises(SetupError, match="SAYSO_HOME"):
        in_folder(folder, Path("/home/ana"))


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "ana"}])
def test_without_a_home_there_is_no_way_on(environ: dict[str, str]):
    with pytest.raises(SetupError, match="HOME"):
        places(environ)


def folders(home: Path, text: str | None, environ: dict[str, str] | None = None) -> list[str]:
    """Return what the desktop names, relative to the home."""
    settings = Path((environ or {}).get("XDG_CONFIG_HOME", home / ".config"))
    if text is not None:
        settings.mkdir(parents=True)
        (settings / "user-dirs.dirs").write_text(text, encoding="utf-8")
    return [folder.replace(str(home), "~") for folder in named_by_the_desktop(environ or {}, home)]


def test_without_a_file_the_english_names_are_taken(tmp_path: Path):
    assert folders(tmp_path, None) == ["~/Documents", "~/Downloads", "~/Desktop"]


def test_the_desktops_own_names_are_taken(tmp_path: Path):
    text = """# This file is written by xdg-user-dirs-update
XDG_DESKTOP_DIR="$HOME/Schreibtisch"
XDG_DOWNLOAD_DIR="$HOME/Meine \\"Sachen\\""
  XDG_DOCUMENTS_DIR = "/srv/Dokumente/"
XDG_MUSIC_DIR="$HOME/Musik"
"""

    assert folders(tmp_path, text) == ["/srv/Dokumente", '~/Meine "Sachen"', "~/Schreibtisch"]


@pytest.mark.parametrize(
    "line",
    ['XDG_DESKTOP_DIR="$HOMELESS/x"', 'XDG_DESKTOP_DIR="$(touch x)"', "XDG_DESKTOP_DIR=~/x", 'XDG_DESKTOP_DIR="x"'],
)
def test_nothing_but_home_is_expanded(tmp_path: Path, line: str):
    assert folders(tmp_path, line) == ["~/Documents", "~/Downloads", "~/Desktop"]


def test_a_folder_set_to_the_home_itself_is_switched_off(tmp_path: Path):
    text = 'XDG_DESKTOP_DIR="$HOME/"\nXDG_DOWNLOAD_DIR="$HOME"\nXDG_DOCUMENTS_DIR="/"\n'

    assert folders(tmp_path, text) == []


def test_the_desktops_settings_may_stand_elsewhere(tmp_path: Path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "etc")}

    assert folders(tmp_path, 'XDG_DESKTOP_DIR="$HOME/D"', environ) == ["~/Documents", "~/Downloads", "~/D"]

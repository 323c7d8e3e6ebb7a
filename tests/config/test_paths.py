"""Where things are: in a folder of its own, or where the platform keeps them."""

import os
import sys
from pathlib import Path

import pytest

from sayso.config.paths import (
    Places,
    Root,
    also_own,
    both,
    desktop_folders,
    in_folder,
    open_to_others,
    person_home,
    places,
    roots_at,
    ways,
)
from sayso.core.errors import SetupError
from sayso.policy.settings import DEFAULT_APPS, LINUX_APPS, default_allowed_apps


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
    return [folder.replace(str(home), "~") for folder in desktop_folders(environ or {}, home)]


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


@pytest.mark.req("FS-11")
def test_every_link_on_the_way_is_part_of_a_form(tmp_path: Path):
    for name in ("own", "real"):
        (tmp_path / name).mkdir()
    (tmp_path / "real" / "x.toml").touch()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "hop").symlink_to(tmp_path / "folder" / "x.toml")
    (tmp_path / "own" / "config.toml").symlink_to("../hop")

    forms = ways(str(tmp_path / "own" / "config.toml"))

    names = ("own/config.toml", "hop", "folder/x.toml", "real/x.toml")
    assert forms == tuple(str(tmp_path / name) for name in names)


def test_a_way_ends_where_the_system_says_it_ends(tmp_path: Path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "l").symlink_to("a/b")
    (tmp_path / "up").symlink_to("l/../c")

    for name in ("up", "l", "a/b", "gone/x", "l/.."):
        assert ways(f"{tmp_path}/{name}")[-1] == os.path.realpath(tmp_path / name)


def test_links_in_a_circle_come_to_an_end(tmp_path: Path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert {str(tmp_path / "a"), str(tmp_path / "b")} <= set(ways(str(tmp_path / "a")))


def test_what_lies_in_saysos_folder_needs_no_mention(tmp_path: Path):
    (tmp_path / "own").mkdir()

    assert also_own(in_folder(tmp_path / "own", tmp_path / "ana")) == ()


@pytest.mark.req("FS-11")
def test_actions_of_the_person_are_protected_where_a_link_leads(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "own" / "actions").symlink_to(tmp_path / "mine")

    assert also_own(in_folder(tmp_path / "own", tmp_path / "ana")) == (str(tmp_path / "mine"),)


def a_folder(path: Path, mode: int) -> Path:
    path.mkdir(parents=True)
    path.chmod(mode)
    return path


@pytest.mark.req("X-15")
@pytest.mark.parametrize("mode", [0o755, 0o701, 0o770, 0o702])
def test_folders_of_the_default_name_are_closed(tmp_path: Path, mode: int):
    home, config = a_folder(tmp_path / "share/sayso", mode), a_folder(tmp_path / "config/sayso", mode)

    left = list(open_to_others(Places(home, config / "config.toml", tmp_path), named=False))

    assert left == []
    assert [folder.stat().st_mode & 0o7777 for folder in (home, config)] == [0o700, 0o700]


def test_a_folder_that_the_person_named_is_left_and_told(tmp_path: Path):
    home = a_folder(tmp_path / "shared", 0o755)

    left = list(open_to_others(Places(home, home / "config.toml", tmp_path), named=True))

    assert left == [home]
    assert home.stat().st_mode & 0o777 == 0o755


def test_a_link_in_its_place_is_left_and_told(tmp_path: Path):
    target = a_folder(tmp_path / "dotfiles", 0o755)
    (tmp_path / "sayso").symlink_to(target)

    left = list(open_to_others(Places(tmp_path / "sayso", tmp_path / "sayso/config.toml", tmp_path), named=False))

    assert left == [tmp_path / "sayso"]
    assert target.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("named", [True, False])
def test_what_is_closed_or_not_there_is_no_matter(tmp_path: Path, named: bool):
    home = a_folder(tmp_path / "sayso", 0o700)

    left = list(open_to_others(Places(home, tmp_path / "none/config.toml", tmp_path), named=named))

    assert left == []
    assert list(tmp_path.iterdir()) == [home]


def test_a_folder_is_shown_as_written_and_as_it_really_is(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("x")

    found = roots_at([str(tmp_path / name) for name in ("link", "gone", "file", "link")])

    assert found == [
        Root(f"{tmp_path}/link", f"{tmp_path}/real", is_there=True),
        Root(f"{tmp_path}/gone", f"{tmp_path}/gone", is_there=False),
        Root(f"{tmp_path}/file", f"{tmp_path}/file", is_there=False),
    ]
    assert not (tmp_path / "gone").exists()


def a_root(path: str, real: str = "") -> Root:
    """Return a folder that is there."""
    return Root(path, real or path, is_there=True)


def test_of_two_lists_the_inner_folders_remain():
    own = [a_root("/h/Documents"), a_root("/h/Desktop"), a_root("/h/link", "/srv/work")]
    others = [a_root("/h/Documents/Work"), a_root("/srv"), a_root("/h/Desk")]

    assert [root.path for root in both(own, others)] == ["/h/Documents/Work", "/h/link"]


def test_nothing_remains_of_lists_that_do_not_meet():
    assert both([a_root("/a")], [a_root("/b"), Root("/a", "/a", is_there=False)]) == []


def test_the_platform_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    found = places({"HOME": str(tmp_path)})

    assert (found.home, found.config) == (tmp_path / "data/sayso", tmp_path / "config/sayso/config.toml")


TERMINALS = ("terminal", "term", "konsole", "foot", "console", "alacritty", "kitty", "tilix", "shell")


@pytest.mark.req("T-31")
def test_linux_has_its_own_names_beside_those_that_are_allowed_everywhere():
    assert set(default_allowed_apps("linux")) > set(DEFAULT_APPS)
    assert {"Files", "Firefox", "Text Editor", "Thunderbird"} <= set(default_allowed_apps("linux"))
    assert default_allowed_apps("darwin") == DEFAULT_APPS
    assert len(set(LINUX_APPS)) == len(LINUX_APPS)


@pytest.mark.req("T-31")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_no_terminal_is_allowed_at_first(platform: str):
    names = [name.casefold() for name in default_allowed_apps(platform)]

    assert [name for name in names if any(word in name.split() for word in TERMINALS)] == []


def test_this_platform_is_one_of_them():
    assert default_allowed_apps(sys.platform)

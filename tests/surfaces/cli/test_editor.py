"""The person's editor is started without a shell, on a private file of which nothing stays."""

from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.surfaces.cli.editor import find_editor, private_file, put, read_back


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("mine", "other", "nano"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("said", "argv"),
    [
        ({"VISUAL": "mine --wait", "EDITOR": "other"}, ("mine", "--wait")),
        ({"VISUAL": "  ", "EDITOR": "other -c 'set tw=0; rm -rf ~'"}, ("other", "-c", "set tw=0; rm -rf ~")),
        ({"EDITOR": 'mine "$HOME" `id`'}, ("mine", "$HOME", "`id`")),
    ],
)
def test_visual_comes_before_editor_and_no_shell_reads_either(
    programs: Path, said: dict[str, str], argv: tuple[str, ...]
):
    found = find_editor({"PATH": str(programs), **said})

    assert found.argv == (str(programs / argv[0]), *argv[1:])
    assert found.note == ""


def test_where_none_is_named_a_usual_one_is_opened_and_that_is_said(programs: Path):
    found = find_editor({"PATH": str(programs)})

    assert found.argv == (str(programs / "nano"),)
    assert found.note == "neither VISUAL nor EDITOR names an editor, so “nano” is opened"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "there is no editor to open: name one in EDITOR"),
        ({"EDITOR": "gone --wait"}, "EDITOR names “gone”, which is not there"),
        ({"VISUAL": "mine 'x"}, "VISUAL is “mine 'x”, in which a quote is not closed"),
        ({"EDITOR": "''"}, "EDITOR names “”, which is not there"),
    ],
)
def test_what_cannot_be_started_is_said_with_what_to_do(tmp_path: Path, said: dict[str, str], sentence: str):
    with pytest.raises(SetupError, match=sentence):
        find_editor({"PATH": str(tmp_path), **said})


@pytest.mark.req("AU-04")
def test_the_file_is_private_and_nothing_beside_it_stays(tmp_path: Path):
    with private_file(tmp_path / "tmp", "edit-1") as file:
        put(file, "a secret")
        (file.parent / ".actions.txt.swp").write_text("a secret")
        modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "tmp", file.parent, file)]

    assert modes == [0o700, 0o700, 0o600]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_it_is_gone_also_when_something_fails(tmp_path: Path):
    def fails() -> None:
        with private_file(tmp_path / "tmp", "edit-1") as file:
            put(file, "x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()

    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [(b"a\nb\xff\n", "line 2 is not UTF-8 text"), (b"x" * 101, "longer than 100 bytes")],
)
def test_what_is_no_text_that_can_be_taken_is_said(tmp_path: Path, data: bytes, sentence: str):
    (tmp_path / "file").write_bytes(data)

    with pytest.raises(SetupError, match=sentence):
        read_back(tmp_path / "file", 100)


def test_a_file_that_went_or_became_a_link_or_a_pipe_is_not_read(tmp_path: Path):
    (tmp_path / "secret").write_text("elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "folder").mkdir()

    for name in ("gone", "link", "folder"):
        with pytest.raises(SetupError):
            read_back(tmp_path / name, 100)


def test_what_a_killed_process_left_is_removed_at_the_next_edit_and_what_is_open_stays(tmp_path: Path):
    (tmp_path / "edit-dead").mkdir()
    (tmp_path / "edit-dead/actions.txt").write_text("left")
    (tmp_path / "other").mkdir()

    with private_file(tmp_path, "edit-one") as one:
        one.write_text("x")
        with private_file(tmp_path, "edit-two"):
            there = sorted(path.name for path in tmp_path.iterdir())

    assert there == ["edit-one", "edit-two", "other"]
    assert [path.name for path in tmp_path.iterdir()] == ["other"]

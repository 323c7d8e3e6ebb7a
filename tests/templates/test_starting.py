"""A new action works as it was written, and takes the place of nothing."""

import stat
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.templates.library import load_library, one_file
from sayso.templates.starting import LONGEST, begin
from tests.templates.actions import handled


@pytest.mark.parametrize(
    ("name", "file", "id_"),
    [
        ("remind-to-call", "remind-to-call.py", "remind_to_call"),
        ("Remind me, to call!", "remind-me-to-call.py", "remind_me_to_call"),
        ("__Café 2", "cafe-2.py", "cafe_2"),
        ("../../etc/passwd", "etc-passwd.py", "etc_passwd"),
        ('a"; import os #', "a-import-os.py", "a_import_os"),
    ],
)
def test_it_is_named_by_its_words_and_is_an_action_at_once(name: str, file: str, id_: str, tmp_path: Path):
    begun = begin(tmp_path / "own" / "actions", name)

    library = load_library(tmp_path / "own" / "actions")
    assert (begun.file.name, begun.id) == (file, id_)
    assert ([one.id for one in library.templates], library.warnings) == ([id_], ())
    assert [stat.S_IMODE(path.stat().st_mode) for path in (begun.file, *begun.file.parents[:2])] == [
        0o600,
        0o700,
        0o700,
    ]


async def test_it_does_something_as_it_is(tmp_path: Path):
    template = one_file(begin(tmp_path, "mine").file)

    ended = await handled(template, params=template.held({"whom": "Ana"}))

    assert ended.error is None
    assert [(one.operation, one.arguments) for one in ended.effects] == [
        ("reminder.create", {"title": "Call Ana", "due": "2030-01-01 10:00"})
    ]


@pytest.mark.parametrize("name", ["", "!", "日本", "x" * (LONGEST + 1)])
def test_a_name_without_letters_or_too_long_is_none(name: str, tmp_path: Path):
    with pytest.raises(SetupError, match="can be no action's name"):
        begin(tmp_path, name)

    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("link", [False, True])
def test_what_is_there_stays_as_it_is(tmp_path: Path, *, link: bool):
    file, other = tmp_path / "mine.py", tmp_path / "other"
    if link:
        file.symlink_to(other)
    else:
        file.write_text("kept")

    with pytest.raises(SetupError, match="is there already"):
        begin(tmp_path, "mine")

    assert not other.exists()
    assert link or file.read_text() == "kept"


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path):
    (tmp_path / "actions").write_text("a file")

    with pytest.raises(SetupError):
        begin(tmp_path / "actions" / "deeper", "mine")

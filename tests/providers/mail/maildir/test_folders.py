"""Folders are found in both ways in which programs lay them out, and made in the same way."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.maildir.folders import Folders
from tests.providers.mail.maildir.places import planted


def found(root: Path) -> dict[str, str]:
    return {one.mailbox: str(one.path.relative_to(root)) for one in Folders(root).all()}


def test_folders_in_dovecots_way(tmp_path: Path):
    for name in ("", ".Sent Items", ".Lists.sayso", ".Archive"):
        planted(tmp_path, [], name)
    (tmp_path / ".no mail").mkdir()

    assert found(tmp_path) == {
        "inbox": ".",
        "sent": ".Sent Items",
        "Lists/sayso": ".Lists.sayso",
        "archive": ".Archive",
    }


def test_folders_side_by_side(tmp_path: Path):
    for name in ("INBOX", "Trash", "Work"):
        planted(tmp_path, [], name)

    assert found(tmp_path) == {"inbox": "INBOX", "trash": "Trash", "Work": "Work"}
    assert Folders(tmp_path).made("archive").path == tmp_path / "Archive"


def test_where_there_is_nothing_nothing_is_found_and_nothing_made(tmp_path: Path):
    assert found(tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


def test_what_has_a_purpose_is_made_and_private(tmp_path: Path):
    folder = Folders(tmp_path / "new").made("trash")

    assert folder.path == tmp_path / "new" / ".Trash"
    assert {part.name for part in folder.path.iterdir()} == {"cur", "new", "tmp"}
    assert (folder.path / "cur").stat().st_mode & 0o077 == 0


@pytest.mark.req("ML-07")
@pytest.mark.parametrize("name", ["../escape", 'a" "b', "Work", "/etc", ""])
def test_no_other_folder_is_made(tmp_path: Path, name: str):
    with pytest.raises(ProviderError, match="nothing was done"):
        Folders(tmp_path).made(name)

"""The name of a message file says what it is called, and which flags it has."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.maildir.files import (
    FILE,
    LOCK,
    MOST,
    FileName,
    MailFolders,
    keywords_in,
    labels_in,
    number_for,
    numbers_of,
    read_name,
)
from tests.fails import fails
from tests.providers.mail.letters import planted


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("1767.M1P2.host:2,FS", FileName("1767.M1P2.host", "FS")),
        ("1767.M1P2.host:2,", FileName("1767.M1P2.host")),
        ("1767.M1P2.host", FileName("1767.M1P2.host")),
        ("1767.M1,S=12,W=14:2,Sab", FileName("1767.M1,S=12,W=14", "Sab")),
        ("1767.host:1,experimental", FileName("1767.host")),
        (".hidden", None),
    ],
)
def test_a_name_is_taken_apart(file: str, name: FileName | None):
    assert read_name(file) == name


def test_letters_stand_in_their_order():
    name = FileName("u").with_letters({"S", "F", "a"})

    assert str(name) == "u:2,FSa"
    assert (name.flags, name.keywords) == (("starred", "read"), (0,))


def test_a_keyword_keeps_its_number(tmp_path: Path):
    (tmp_path / FILE).write_text("0 $Forwarded\n2 URGENT\nnonsense\n99 x\n")

    assert number_for(tmp_path, "urgent") == 2
    assert number_for(tmp_path, "New") == 1
    assert (tmp_path / FILE).read_text() == "0 $Forwarded\n1 New\n2 URGENT\n"
    assert labels_in(keywords_in(tmp_path), (0, 1, 2, 7)) == ("New", "URGENT")
    assert numbers_of(keywords_in(tmp_path), "Urgent") == {2}


def test_there_are_as_many_as_there_are_letters(tmp_path: Path):
    for number in range(MOST):
        number_for(tmp_path, f"label{number}")

    with fails(ProviderError, "mail.labels_full", match="26 labels"):
        number_for(tmp_path, "one more")


def test_while_another_program_writes_nothing_is_written(tmp_path: Path):
    (tmp_path / LOCK).touch()

    with pytest.raises(ProviderError, match="another program"):
        number_for(tmp_path, "New")
    assert not (tmp_path / FILE).exists()


def found(root: Path) -> dict[str, str]:
    return {one.mailbox: str(one.path.relative_to(root)) for one in MailFolders(root).all()}


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
    assert MailFolders(tmp_path).make("archive").path == tmp_path / "Archive"


def test_where_there_is_nothing_nothing_is_found_and_nothing_made(tmp_path: Path):
    assert found(tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


def test_what_has_a_purpose_is_made_and_private(tmp_path: Path):
    folder = MailFolders(tmp_path / "new").make("trash")

    assert folder.path == tmp_path / "new" / ".Trash"
    assert {part.name for part in folder.path.iterdir()} == {"cur", "new", "tmp"}
    assert (folder.path / "cur").stat().st_mode & 0o077 == 0


@pytest.mark.req("ML-07")
@pytest.mark.parametrize("name", ["../escape", 'a" "b', "Work", "/etc", ""])
def test_no_other_folder_is_made(tmp_path: Path, name: str):
    with pytest.raises(ProviderError, match="nothing was done"):
        MailFolders(tmp_path).make(name)

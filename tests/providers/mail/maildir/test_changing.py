"""Files are renamed all or not at all."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.maildir.changing import marks, moves, renamed
from sayso.providers.mail.maildir.folders import Folder
from sayso.providers.mail.maildir.keywords import number_for
from sayso.providers.mail.maildir.scanning import entries, newest
from sayso.testing.mail import MESSAGES
from tests.providers.mail.maildir.places import planted


def here(_: int) -> None:
    """Do nothing between two files."""


def test_flags_and_labels_go_with_a_message(tmp_path: Path):
    inbox, archive = Folder("inbox", planted(tmp_path, MESSAGES)), Folder("archive", planted(tmp_path, [], ".Archive"))
    number_for(archive.path, "Other")
    number_for(inbox.path, "Money")
    renamed(marks(newest(entries(inbox)), lambda one: {"F", "a"}), here)

    renamed(moves(newest(entries(inbox)), archive, "token"), here)

    assert sorted(one.name for one in (archive.path / "cur").iterdir()) == [
        "1772359200.token_2.sayso:2,Fb",
        "1773136800.token_1.sayso:2,Fb",
        "1773396000.token_0.sayso:2,Fb",
    ]


def test_when_one_is_gone_those_before_it_come_back(tmp_path: Path):
    inbox, archive = Folder("inbox", planted(tmp_path, MESSAGES)), Folder("archive", planted(tmp_path, [], ".Archive"))
    found = newest(entries(inbox))
    before = {one.path for one in found}
    taken = found[-1].path

    def takes(number: int) -> None:
        if number == 2:
            taken.unlink()

    with pytest.raises(ProviderError, match="nothing was done"):
        renamed(moves(found, archive, "token"), takes)

    assert {one.path for one in entries(inbox)} == before - {taken}
    assert list((archive.path / "cur").iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path):
    inbox, archive = Folder("inbox", planted(tmp_path, MESSAGES)), Folder("archive", planted(tmp_path, [], ".Archive"))
    renamings = moves(newest(entries(inbox)), archive, "token")
    renamings[1].to.write_text("somebody else's")

    with pytest.raises(ProviderError, match="there already"):
        renamed(renamings, here)

    assert renamings[1].to.read_text() == "somebody else's"
    assert len(list(entries(inbox))) == len(MESSAGES)

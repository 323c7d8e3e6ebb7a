"""The small programs in examples/ run, and do what they say."""

from pathlib import Path

import pytest

from tests.examples.installed import python


@pytest.fixture
def person(scratch_home: Path) -> Path:
    """Return a home with an invoice among the downloads."""
    for name in ("Documents", "Downloads"):
        (scratch_home / name).mkdir()
    (scratch_home / "Downloads" / "invoice.pdf").write_text("420 euros", "utf-8")
    (scratch_home / "Downloads" / "old.zip").write_text("old", "utf-8")
    return scratch_home


def tree(home: Path) -> list[str]:
    """Return the person's files and folders."""
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


def test_a_reply_is_carried_out_and_taken_back(person: Path):
    before = tree(person)

    ran = python("examples/embed.py")

    assert ran.stdout.splitlines() == ["done - Created folder", "done - Wrote file"], ran.stderr
    assert tree(person) == before


def test_the_program_decides(person: Path):
    before = tree(person)

    ran = python("examples/decide_in_your_program.py")

    assert ran.stdout.splitlines()[:2] == [
        "1. Move “~/Downloads/invoice.pdf” to “~/Documents/invoice.pdf”",
        "2. Delete “~/Downloads/old.zip”; it goes to the Trash",
    ]
    assert ran.stdout.splitlines()[-2:] == ["file.move declined", "file.delete declined"]
    assert tree(person) == before


def test_what_was_previewed_waits_and_is_decided_later(person: Path):
    ran = python("examples/preview_then_run.py")

    assert ran.stdout.splitlines() == [
        "Would move “~/Downloads/invoice.pdf” to “~/Documents/invoice.pdf” (you would be asked)",
        "Moved file",
    ]
    assert (person / "Documents" / "invoice.pdf").read_text("utf-8") == "420 euros"

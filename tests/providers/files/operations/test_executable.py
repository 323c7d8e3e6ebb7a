"""What the system would run is told from what it would show."""

from dataclasses import replace
from typing import Literal

import pytest

from sayso.providers.files.facts import Free
from sayso.providers.files.operations.executable import RUN, why_run
from sayso.providers.files.store import Item


def item(name: str, mode: int = 0o644, kind: Literal["file", "folder", "link"] = "file") -> Item:
    path = f"/home/ana/Documents/{name}"
    return Item(path, kind, 1, 0, 0, 0, mode, 1, Free(path))


@pytest.mark.parametrize("ending", [*RUN, ".COMMAND", ".Sh", ".sh.", ".app. ", ".command\u200b", ".\uff33\uff28"])
@pytest.mark.req("X-21")
def test_these_endings_are_never_opened(ending: str):
    assert why_run(item(f"x{ending}"), f"~/Documents/x{ending}")


@pytest.mark.parametrize("bit", [0o100, 0o010, 0o001])
@pytest.mark.req("X-21")
def test_any_execute_bit_of_a_file_counts(bit: int):
    assert why_run(item("tool", 0o644 | bit), "~/Documents/tool")
    assert not why_run(item("folder", 0o755, "folder"), "~/Documents/folder")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.pdf", "a.png", "a.html", "a.sh.txt", "app", "a.b.csv", "résumé"])
def test_what_is_only_shown_is_opened(name: str):
    assert why_run(item(name), f"~/Documents/{name}") is None


@pytest.mark.req("X-21")
def test_neither_the_name_of_a_link_nor_its_target_hides_the_other():
    shown = item("notes.txt")

    assert why_run(shown, "~/Documents/notes.command")
    assert why_run(replace(shown, path="/home/ana/Documents/x.command"), "~/Documents/notes.txt")

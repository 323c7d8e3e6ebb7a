"""Which calendars a folder holds, and what goes where."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.calendar.vdir.folder import Folder
from sayso.providers.disk.syscalls import walked
from sayso.providers.disk.textfiles import Texts

EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\n"
    "UID:{uid}\r\nDTSTART:{start}\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def folder(top: Path, chosen: str = "", *, own: bool = False) -> Folder:
    return Folder(Texts(str(top), walked), chosen, own=own)


def put(top: Path, place: str, text: str) -> None:
    (top / place).parent.mkdir(parents=True, exist_ok=True)
    (top / place).write_text(text)


def test_calendars_are_called_as_other_programs_call_them(tmp_path: Path):
    put(tmp_path, "work/displayname", "Büro\n")
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    (tmp_path / ".hidden").mkdir()

    kept = folder(tmp_path)

    assert [(shelf.folder, shelf.name) for shelf in kept.shelves()] == [("work", "Büro"), ("home", "home")]
    assert kept.name_of("work/x.ics") == "Büro"
    assert kept.new_place("u", "büro") == "work/u.ics"
    assert kept.new_place("u", "") == "home/u.ics"
    assert folder(tmp_path, "work").new_place("u", "") == "work/u.ics"


def test_a_folder_may_be_one_calendar_itself(tmp_path: Path):
    put(tmp_path, "a.ics", EVENT.format(uid="a", start="20260314T100000Z"))

    assert folder(tmp_path).new_place("u", "") == "u.ics"
    assert folder(tmp_path / "none", own=True).new_place("u", "") == "personal/u.ics"


def test_a_calendar_that_there_is_not_is_named_with_those_that_there_are(tmp_path: Path):
    put(tmp_path, "work/displayname", "Büro\n")

    with pytest.raises(ProviderError, match=r"There is no calendar “home”\. Calendars: “Büro”"):
        folder(tmp_path).new_place("u", "home")
    with pytest.raises(ProviderError, match=r"set calendar\.path"):
        folder(tmp_path / "none").shelves()


def test_only_what_may_take_place_is_given_and_what_is_broken_is_told(tmp_path: Path):
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    put(tmp_path, "home/b.ics", EVENT.format(uid="b", start="20250314T100000Z"))
    put(tmp_path, "home/c.ics", "BEGIN:VCALENDAR\r\n")
    put(tmp_path, "home/readme.txt", "x")

    held = folder(tmp_path).held("VEVENT", "20260314", "20260315")

    assert [one.place for one in held.resources] == ["home/a.ics"]
    assert held.left_out == ("“home/c.ics” was left out: it is not one whole calendar",)


def test_a_file_that_changed_is_read_again(tmp_path: Path):
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    kept = folder(tmp_path)
    first = kept.resource("a")

    put(tmp_path, "home/a.ics", EVENT.format(uid="aa", start="20260314T100000Z"))

    assert first is not None
    assert kept.resource("a") is None
    assert kept.resource("aa") is not None


def test_two_files_with_one_id_are_not_guessed_at(tmp_path: Path):
    for name in ("a", "b"):
        put(tmp_path, f"home/{name}.ics", EVENT.format(uid="same", start="20260314T100000Z"))

    with pytest.raises(ProviderError, match="not clear which"):
        folder(tmp_path).resource("same")

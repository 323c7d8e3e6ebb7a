"""A desktop entry is read as the desktop itself reads it."""

from pathlib import Path

import pytest

from sayso.providers.entries.entry import Entry, languages, read

NOTE = """\
# a comment
[Desktop Entry]
Type=Application
Name=Note Pad
Name[de]=Notizblock
Name[de_AT]=Schmierblock
Exec=env LANG=C note --new %F
Icon=pen
StartupWMClass=NotePad
Path=/srv

[Desktop Action extra]
Name=Another
Exec=evil
"""


def entry(folder: Path, text: str, *words: str, desktops: tuple[str, ...] = ()) -> Entry | None:
    path = folder / "note.desktop"
    path.write_text(text)
    return read(path, "note.desktop", words, desktops)


def test_the_entry_itself_counts_and_not_its_actions(tmp_path: Path):
    found = entry(tmp_path, NOTE)

    assert found is not None
    assert (found.name, found.command) == ("Note Pad", ("env", "LANG=C", "note", "--new"))
    assert (found.program, found.icon, found.wm_class, found.folder) == ("note", "pen", "NotePad", "/srv")


@pytest.mark.parametrize(
    ("words", "name"),
    [((), "Note Pad"), (("de_AT", "de"), "Schmierblock"), (("de_CH", "de"), "Notizblock"), (("fr",), "Note Pad")],
)
def test_the_name_is_in_the_language_of_the_person(tmp_path: Path, words: tuple[str, ...], name: str):
    found = entry(tmp_path, NOTE, *words)

    assert found is not None
    assert (found.name, found.plain) == (name, "Note Pad")


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"LANG": "de_AT.UTF-8@euro"}, ("de_AT@euro", "de_AT", "de@euro", "de")),
        ({"LANG": "de_AT.UTF-8"}, ("de_AT", "de")),
        ({"LANG": "de_DE", "LC_ALL": "C.UTF-8"}, ()),
        ({"LANG": "fr", "LC_MESSAGES": "en_GB.UTF-8"}, ("en_GB", "en")),
        ({}, ()),
    ],
)
def test_the_language_is_found_where_programs_look_for_it(environ: dict[str, str], words: tuple[str, ...]):
    assert languages(environ) == words


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("NoDisplay=true", True),
        ("Hidden=true", True),
        ("OnlyShowIn=GNOME;", True),
        ("OnlyShowIn=XFCE;GNOME;", False),
        ("NotShowIn=XFCE;", True),
        ("NotShowIn=KDE;", False),
        ("Comment=plain", False),
    ],
)
def test_what_is_not_for_this_desktop_is_hidden(tmp_path: Path, line: str, hidden: bool):
    found = entry(tmp_path, NOTE.replace("Icon=pen", line), desktops=("XFCE",))

    assert found is not None
    assert found.hidden is hidden


@pytest.mark.parametrize(
    "text",
    ["", "[Desktop Entry]\nType=Link\nName=A\n", "[Desktop Entry]\nType=Application\nExec=a\n", "\x00\x01"],
)
def test_what_is_no_application_is_none(tmp_path: Path, text: str):
    assert entry(tmp_path, text) is None


def test_a_name_that_could_deceive_on_a_card_is_none(tmp_path: Path):
    assert entry(tmp_path, NOTE.replace("Name=Note Pad", "Name=Note\u202ePad")) is None


def test_a_command_that_cannot_be_read_leaves_an_application_that_cannot_be_started(tmp_path: Path):
    found = entry(tmp_path, NOTE.replace("note --new %F", 'note "'))

    assert found is not None
    assert found.command == ()


def test_another_content_is_another_mark(tmp_path: Path):
    before, after = entry(tmp_path, NOTE), entry(tmp_path, NOTE.replace("note --new", "other"))

    assert before is not None
    assert after is not None
    assert before.mark != after.mark


def test_what_is_missing_or_endless_is_none(tmp_path: Path):
    assert read(tmp_path / "none.desktop", "none.desktop", (), ()) is None
    assert entry(tmp_path, NOTE + "X" * 2**20) is None

"""A command of a desktop entry is read into an argument vector, by the rules and without a shell."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.desktop_entries import (
    ApplicationFolders,
    DesktopEntry,
    InstalledEntries,
    InvalidCommand,
    folders,
    languages,
    parse_command,
    read,
)

CODES = {"i": ("--icon", "pen"), "c": ("Note Pad",), "k": ("/apps/note.desktop",)}


@pytest.mark.req("AP-02", "X-07")
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("note", ["note"]),
        ("note %U", ["note"]),
        ("note --file=%f end", ["note", "--file=", "end"]),
        ("note %i %c", ["note", "--icon", "pen", "Note Pad"]),
        ("note --from=%k", ["note", "--from=/apps/note.desktop"]),
        ("note 100%%", ["note", "100%"]),
        ("note %%", ["note", "%"]),
        ('"/opt/my tools/note" -x', ["/opt/my tools/note", "-x"]),
        (r'note "a \"b\" \$c \`d\` \\e"', ["note", 'a "b" $c `d` \\e']),
        (r'note "a\n"', ["note", r"a\n"]),
        ('note ""', ["note", ""]),
        ("  note   a ", ["note", "a"]),
        ("note $HOME ; rm -rf ~ && echo `x` > y", shlex.split("note '$HOME' ';' rm -rf '~' '&&' echo '`x`' '>' y")),
        ("note %d %N %v %m", ["note"]),
        ('note "%f"', ["note", "%f"]),
        ("env A=1 note", ["env", "A=1", "note"]),
    ],
)
def test_a_command_is_split_by_the_rules(command: str, arguments: list[str]):
    assert list(parse_command(command, CODES)) == arguments


@pytest.mark.parametrize("command", ["", "   ", '"', 'note "a', "note %z", "note 5%", "note \\", '""'])
def test_what_breaks_the_rules_is_unreadable(command: str):
    with pytest.raises(InvalidCommand):
        parse_command(command, CODES)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="%\0"), min_size=1), min_size=1))
def test_what_was_quoted_comes_back_as_it_was(words: list[str]):
    quoted = " ".join('"' + "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word) + '"' for word in words)

    assert list(parse_command(quoted, {})) == words


@given(st.text())
def test_any_text_is_read_or_unreadable(command: str):
    try:
        read = parse_command(command, CODES)
    except InvalidCommand:
        return

    assert read[0]


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


def entry(folder: Path, text: str, *words: str, desktops: tuple[str, ...] = ()) -> DesktopEntry | None:
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


def plant(folder: Path, way: str, name: str, command: str = "/bin/true", *more: str) -> Path:
    path = folder / "applications" / way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["[Desktop Entry]", "Type=Application", f"Name={name}", f"Exec={command}", *more, ""]))
    return path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    shared = f"{tmp_path}/one:relative:{tmp_path}/two"
    return {"XDG_DATA_HOME": f"{tmp_path}/own", "XDG_DATA_DIRS": shared, "PATH": "/usr/bin:/bin"}


def look(tmp_path: Path, environ: dict[str, str], *roots: str) -> InstalledEntries:
    return ApplicationFolders(environ, str(tmp_path), roots).look()


@pytest.mark.req("T-28")
def test_all_folders_are_looked_at_and_the_own_one_wins(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "note.desktop", "Note of two")
    plant(tmp_path / "two", "kde/clock.desktop", "Clock")
    plant(tmp_path / "one", "note.desktop", "Note of one")
    plant(tmp_path / "own", "note.desktop", "My Note")

    found = look(tmp_path, environ)

    assert {entry.id: entry.name for entry in found.menu_entries()} == {
        "note.desktop": "My Note",
        "kde-clock.desktop": "Clock",
    }


def test_an_application_that_the_person_deleted_stays_deleted(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "note.desktop", "Note")
    plant(tmp_path / "own", "note.desktop", "Note", "/bin/true", "Hidden=true")

    assert look(tmp_path, environ).menu_entries() == ()


def test_an_application_whose_program_is_missing_is_not_in_the_menus(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "own", "a.desktop", "A", "/bin/true", "TryExec=/none/such")
    plant(tmp_path / "own", "b.desktop", "B", "/bin/true", "TryExec=true")
    plant(tmp_path / "own", "c.desktop", "C", '"')

    assert [entry.name for entry in look(tmp_path, environ).menu_entries()] == ["B"]


@pytest.mark.req("AP-01")
def test_what_file_actions_could_have_written_is_found_through_links_too(tmp_path: Path, environ: dict[str, str]):
    documents = tmp_path / "documents"
    outside = plant(tmp_path / "own", "a.desktop", "A")
    inside = plant(documents, "b.desktop", "B")
    (outside.parent / "b.desktop").symlink_to(inside)
    script = documents / "run"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    plant(tmp_path / "own", "c.desktop", "C", str(script))

    found = look(tmp_path, environ, str(documents))

    reach = {entry.name: found.reachable_part(entry) for entry in found.menu_entries()}
    assert reach == {"A": None, "B": str(outside.parent / "b.desktop"), "C": str(script)}


@pytest.mark.req("AP-01")
@pytest.mark.parametrize(
    "command",
    [
        "sh {}",
        "env A=b {}",
        "python3 -u {} %f",
        'sh -c "exec {} 1>&2"',
        "tool --run={}",
        "java -cp /usr/lib/x.jar:{} M",
    ],
)
def test_what_an_interpreter_is_given_is_found_too(tmp_path: Path, environ: dict[str, str], command: str):
    script = tmp_path / "documents" / "run"
    plant(tmp_path / "own", "a.desktop", "A", command.format(script))

    found = look(tmp_path, environ, str(tmp_path / "documents"))

    (entry,) = found.entries
    assert found.reachable_part(entry) == str(script)


def test_a_change_is_seen_by_who_looked_before(tmp_path: Path, environ: dict[str, str]):
    file = plant(tmp_path / "own", "note.desktop", "Note")
    looking = ApplicationFolders(environ, str(tmp_path))
    before = looking.look().menu_entries()

    plant(tmp_path / "own", "note.desktop", "Mote")
    plant(tmp_path / "own", "clock.desktop", "Clock")
    after = looking.look().menu_entries()
    file.unlink()
    gone = looking.look().menu_entries()

    names = [[entry.name for entry in look] for look in (before, after, gone)]
    assert names == [["Note"], ["Clock", "Mote"], ["Clock"]]


@pytest.mark.req("S0-34", "T-28")
def test_a_name_is_taken_in_the_persons_language_and_in_plain(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "calc.desktop", "Calculator", "/bin/true", "Name[de]=Rechner", "Name[fr]=Calculette")
    found = look(tmp_path, {**environ, "LANG": "de_DE.UTF-8"})

    called = {name: found.find_by_name(name) for name in ("Rechner", "Calculator", "Calculette", "calc", "rechner", "")}

    assert [name for name, entries in called.items() if entries] == ["Rechner", "Calculator"]
    assert [entry.id for entry in called["Calculator"]] == ["calc.desktop"]


def test_what_stands_in_no_menu_has_no_name(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "own", "a.desktop", "A", "/bin/true", "NoDisplay=true")
    plant(tmp_path / "own", "b.desktop", "B", "/bin/true", "Hidden=true")
    plant(tmp_path / "own", "c.desktop", "C", "/bin/true", "TryExec=/none/such")

    assert [look(tmp_path, environ).find_by_name(name) for name in "ABC"] == [(), (), ()]


def test_folders_have_their_defaults():
    assert list(map(str, folders({}, "/home/ana"))) == [
        "/home/ana/.local/share/applications",
        "/usr/local/share/applications",
        "/usr/share/applications",
    ]

"""Every application folder is looked at, and the person's own wins."""

from pathlib import Path

import pytest

from sayso.providers.entries.installed import Folders, Installed, folders


def plant(folder: Path, way: str, name: str, command: str = "/bin/true", *more: str) -> Path:
    path = folder / "applications" / way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["[Desktop Entry]", "Type=Application", f"Name={name}", f"Exec={command}", *more, ""]))
    return path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    shared = f"{tmp_path}/one:relative:{tmp_path}/two"
    return {"XDG_DATA_HOME": f"{tmp_path}/own", "XDG_DATA_DIRS": shared, "PATH": "/usr/bin:/bin"}


def look(tmp_path: Path, environ: dict[str, str], *roots: str) -> Installed:
    return Folders(environ, str(tmp_path), roots).look()


@pytest.mark.req("T-28")
def test_all_folders_are_looked_at_and_the_own_one_wins(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "note.desktop", "Note of two")
    plant(tmp_path / "two", "kde/clock.desktop", "Clock")
    plant(tmp_path / "one", "note.desktop", "Note of one")
    plant(tmp_path / "own", "note.desktop", "My Note")

    found = look(tmp_path, environ)

    assert {entry.id: entry.name for entry in found.shown()} == {
        "note.desktop": "My Note",
        "kde-clock.desktop": "Clock",
    }


def test_an_application_that_the_person_deleted_stays_deleted(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "note.desktop", "Note")
    plant(tmp_path / "own", "note.desktop", "Note", "/bin/true", "Hidden=true")

    assert look(tmp_path, environ).shown() == ()


def test_an_application_whose_program_is_missing_is_not_in_the_menus(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "own", "a.desktop", "A", "/bin/true", "TryExec=/none/such")
    plant(tmp_path / "own", "b.desktop", "B", "/bin/true", "TryExec=true")
    plant(tmp_path / "own", "c.desktop", "C", '"')

    assert [entry.name for entry in look(tmp_path, environ).shown()] == ["B"]


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

    reach = {entry.name: found.within_reach(entry) for entry in found.shown()}
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
    assert found.within_reach(entry) == str(script)


def test_a_change_is_seen_by_who_looked_before(tmp_path: Path, environ: dict[str, str]):
    file = plant(tmp_path / "own", "note.desktop", "Note")
    looking = Folders(environ, str(tmp_path))
    before = looking.look().shown()

    plant(tmp_path / "own", "note.desktop", "Mote")
    plant(tmp_path / "own", "clock.desktop", "Clock")
    after = looking.look().shown()
    file.unlink()
    gone = looking.look().shown()

    names = [[entry.name for entry in look] for look in (before, after, gone)]
    assert names == [["Note"], ["Clock", "Mote"], ["Clock"]]


@pytest.mark.req("S0-34", "T-28")
def test_a_name_is_taken_in_the_persons_language_and_in_plain(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "two", "calc.desktop", "Calculator", "/bin/true", "Name[de]=Rechner", "Name[fr]=Calculette")
    found = look(tmp_path, {**environ, "LANG": "de_DE.UTF-8"})

    called = {name: found.called(name) for name in ("Rechner", "Calculator", "Calculette", "calc", "rechner", "")}

    assert [name for name, entries in called.items() if entries] == ["Rechner", "Calculator"]
    assert [entry.id for entry in called["Calculator"]] == ["calc.desktop"]


def test_what_stands_in_no_menu_has_no_name(tmp_path: Path, environ: dict[str, str]):
    plant(tmp_path / "own", "a.desktop", "A", "/bin/true", "NoDisplay=true")
    plant(tmp_path / "own", "b.desktop", "B", "/bin/true", "Hidden=true")
    plant(tmp_path / "own", "c.desktop", "C", "/bin/true", "TryExec=/none/such")

    assert [look(tmp_path, environ).called(name) for name in "ABC"] == [(), (), ()]


def test_folders_have_their_defaults():
    assert list(map(str, folders({}, "/home/ana"))) == [
        "/home/ana/.local/share/applications",
        "/usr/local/share/applications",
        "/usr/share/applications",
    ]

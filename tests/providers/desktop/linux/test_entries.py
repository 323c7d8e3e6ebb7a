"""An application is found by the name in the person's menu."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.desktop.linux.entries import entry_called, folders


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a folder of the person's and one of the machine's."""
    return {
        "XDG_DATA_HOME": str(tmp_path / "own"),
        "XDG_DATA_DIRS": f"{tmp_path / 'shared'}:relative",
        "LANG": "de_DE.UTF-8",
    }


def add(environ: dict[str, str], where: str, ident: str, *lines: str) -> Path:
    base = Path(environ["XDG_DATA_HOME"] if where == "own" else environ["XDG_DATA_DIRS"].partition(":")[0])
    file = base / "applications" / ident
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(("[Desktop Entry]", "Type=Application", "Exec=true %U", *lines)) + "\n")
    return file


@pytest.mark.req("S0-34", "T-28")
def test_a_name_is_taken_in_the_persons_language_and_in_plain(environ: dict[str, str]):
    file = add(environ, "shared", "kde/calc.desktop", "Name=Calculator", "Name[de]=Rechner", "Name[fr]=Calculette")

    assert entry_called("Rechner", environ) == str(file)
    assert entry_called("Calculator", environ) == str(file)
    with pytest.raises(ProviderError, match="no application is called “Calculette”"):
        entry_called("Calculette", environ)


def test_the_persons_own_entry_stands_in_place_of_the_shared_one(environ: dict[str, str]):
    own = add(environ, "own", "calc.desktop", "Name=Mine")
    add(environ, "shared", "calc.desktop", "Name=Calculator")

    assert entry_called("Mine", environ) == str(own)
    with pytest.raises(ProviderError, match="no application is called “Calculator”"):
        entry_called("Calculator", environ)


@pytest.mark.req("AP-01")
def test_two_of_the_same_name_are_not_guessed_between(environ: dict[str, str]):
    add(environ, "own", "false.desktop", "Name=Calculator")
    add(environ, "shared", "calc.desktop", "Name=Calculator")

    with pytest.raises(ProviderError, match=r"2 applications are called “Calculator” \(false, calc\)") as no:
        entry_called("Calculator", environ)

    assert [candidate.where for candidate in no.value.candidates] == ["false", "calc"]


@pytest.mark.req("AP-01")
@pytest.mark.parametrize(
    "name", ["calc", "calc.desktop", "../shared/calc.desktop", "calculator", "Calculator/../Terminal"]
)
def test_only_the_name_itself_is_a_name(environ: dict[str, str], name: str):
    add(environ, "shared", "calc.desktop", "Name=Calculator")

    with pytest.raises(ProviderError, match="no application is called"):
        entry_called(name, environ)


def test_hidden_and_broken_entries_are_no_applications(environ: dict[str, str]):
    add(environ, "shared", "hidden.desktop", "Name=Hidden", "Hidden=true")
    add(environ, "shared", "link.desktop", "Name=Link", "Type=Link")
    add(environ, "shared", "broken.desktop").write_text("Name=Broken")
    add(environ, "shared", "other.desktop").write_text("[Other]\nName=Other\n")

    for name in ("Hidden", "Link", "Broken", "Other"):
        with pytest.raises(ProviderError):
            entry_called(name, environ)


def test_without_a_word_of_the_environment_the_usual_folders_are_meant():
    usual = ("/h/.local/share/applications", "/usr/local/share/applications", "/usr/share/applications")

    assert tuple(map(str, folders({"HOME": "/h"}))) == usual

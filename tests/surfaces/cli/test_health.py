"""What `doctor` looked at is told as it is."""

import os
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.surfaces.cli import health
from sayso.surfaces.cli.finding import Finding
from sayso.surfaces.cli.health import findings


async def found() -> list[Finding]:
    return await findings(os.environ)


async def test_each_store_has_one_line(person: Path):
    async with open_home() as home:
        stores = {store for operation in home.operations.values() for store in operation.stores}

    lines = [one.about for one in await found()]

    assert all(lines.count(store) == 1 for store in stores)


@pytest.mark.parametrize(
    ("text", "about", "how"),
    [
        ('[mail]\nkind = "imap"\n', "mail", "broken"),
        ('[policy]\nmode = "never"\n', "policy", "note"),
        ("[policy]\npaused = true\n", "policy", "note"),
        ('[policy]\nroots = ["~/nowhere"]\n', "folders", "note"),
    ],
)
async def test_settings_show(person: Path, text: str, about: str, how: str):
    folder = person.parent / "sayso"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text(text)

    assert (about, how) in [(one.about, one.how) for one in await found()]


@pytest.mark.req("X-05")
async def test_each_part_of_the_desktop_is_told_for_itself(person: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")

    found = {one.about: one for one in await findings(os.environ)}

    assert found["desktop"].how == "good"
    assert (found["notifications"].how, found["clipboard"].how) == ("note", "note")
    assert "install wl-clipboard" in found["clipboard"].fix


@pytest.mark.req("TP-05")
@pytest.mark.parametrize(
    ("missing", "how", "says"),
    [
        ((), "good", "the kernel refuses their handlers"),
        (("files",), "note", "only Python itself keeps their handlers from files: that hinders mistakes"),
        (("files", "programs and connections"), "note", "from files, programs and connections"),
    ],
)
async def test_what_holds_the_handlers_of_own_actions_is_told(
    person: Path, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], how: str, says: str
):
    monkeypatch.setattr(health, "unheld", lambda: missing)

    (told,) = [one for one in await found() if one.about == "own actions"]

    assert told.how == how
    assert says in told.says

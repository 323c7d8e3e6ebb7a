"""`doctor` tells which model answers, whether its key is there, and what to do where it cannot be asked."""

import os
import socket
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.config.load import settings as settings_from
from sayso.config.paths import places
from sayso.surfaces.cli import doctor
from sayso.surfaces.cli.doctor import findings, of_models
from sayso.surfaces.cli.render import Finding
from sayso.testing.model_server import playing


async def found(text: str, home: Path, **environ: str) -> list[Finding]:
    """Return what is told where `[model]` has these lines."""
    at = {"HOME": str(home), "SAYSO_HOME": f"{home}/s", "PATH": "/usr/bin:/bin", **environ}
    return [one async for one in of_models(settings_from(f"[model]\n{text}".encode(), places(at), at, {}))]


async def test_a_model_with_its_key_is_good_and_asked_nothing(scratch_home: Path):
    (one,) = await found('name = "anthropic:claude-any"', scratch_home, ANTHROPIC_API_KEY="usual")

    assert (one.about, one.how) == ("model", "good")
    assert one.says == "anthropic:claude-any at api.anthropic.com, with the key from ANTHROPIC_API_KEY"


async def test_a_missing_key_is_trouble_for_the_first_and_a_note_for_what_stands_behind_it(scratch_home: Path):
    first, second = await found('name = "anthropic:a"\nfallback = ["openai:b"]', scratch_home)

    assert (first.about, first.how) == ("model", "broken")
    assert first.says.startswith("anthropic:a: there is no key for Anthropic")
    assert "run “sayso config model”, or set ANTHROPIC_API_KEY" in first.fix
    assert (second.about, second.how) == ("model, then", "note")


async def test_a_server_on_this_computer_is_looked_for(scratch_home: Path):
    with playing("x") as server:
        (there,) = await found(f'name = "ollama:q"\nurl = "{server.url}"', scratch_home)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        (gone,) = await found(f'name = "ollama:q"\nurl = "{url}"', scratch_home)

    assert (there.how, server.heard) == ("good", [])
    assert there.says.endswith(", without a key")
    assert (gone.how, gone.fix) == ("broken", "ollama serve")
    assert gone.says.endswith("nothing answers there")


async def test_what_is_sent_in_the_open_is_said(scratch_home: Path):
    (one,) = await found('name = "ollama:q"\nurl = "http://192.0.2.1:11434"', scratch_home)

    assert (one.how, "is not encrypted" in one.says) == ("note", True)


@pytest.mark.parametrize(
    ("text", "says", "fix"),
    [
        ('name = "antropic:a"', "sayso knows no model called “antropic:a”", "did you mean “anthropic:a”"),
        ('name = "openai-compatible:a"', "needs the address of its server", ""),
    ],
)
async def test_a_name_or_an_address_that_means_nothing_is_trouble(text: str, says: str, fix: str, scratch_home: Path):
    (one,) = await found(text, scratch_home)

    assert one.how == "broken"
    assert says in one.says
    assert fix in one.fix


async def test_without_settings_the_built_in_rules_answer(scratch_home: Path):
    (one,) = await found("", scratch_home)

    assert (one.about, one.says.startswith("embedded: ")) == ("model", True)


async def found_health() -> list[Finding]:
    return await findings(os.environ)


async def test_each_store_has_one_line(person: Path):
    async with open_home() as home:
        stores = {store for operation in home.operations.values() for store in operation.stores}

    lines = [one.about for one in await found_health()]

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

    assert (about, how) in [(one.about, one.how) for one in await found_health()]


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
    monkeypatch.setattr(doctor, "missing_confinement", lambda: missing)

    (told,) = [one for one in await found_health() if one.about == "own actions"]

    assert told.how == how
    assert says in told.says

"""`doctor` tells which model answers, whether its key is there, and what to do where it cannot be asked."""

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.assembly import open_home
from sayso.assembly.parts import PROVIDERS
from sayso.config.load import settings as settings_from
from sayso.config.paths import places
from sayso.core.provider import add_extra
from sayso.surfaces.cli import doctor
from sayso.surfaces.cli.doctor import findings, of_models
from sayso.surfaces.cli.findings import Finding
from sayso.testing.model_server import playing
from tests.surfaces.cli.person import sayso


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
    ("settings", "told"),
    [
        (((), "false"), ("good", "the kernel keeps their handlers from files, programs", "")),
        (((), "true"), ("note", "actions.allow_uncontained is not needed", "unset actions.allow_uncontained")),
        ((("open files",), "false"), ("note", "they do not run here, because nothing", "allow_uncontained true")),
        ((("a", "b"), "true"), ("note", "they run uncontained, because actions.allow_uncontained is true", "unset")),
    ],
)
async def test_what_holds_the_handlers_of_own_actions_is_told(
    person: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: tuple[tuple[str, ...], str],
    told: tuple[str, str, str],
):
    (possible, waived), (how, says, fix) = settings, told

    async def find(runner: object) -> tuple[str, ...]:
        return possible

    if possible:
        monkeypatch.setattr(doctor, "find_possible", find)
    folder = person.parent / "sayso"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text(f"[actions]\nallow_uncontained = {waived}\n")

    (found,) = [one for one in await found_health() if one.about == "own actions"]

    assert found.how == how
    assert says in found.says
    assert fix in found.fix


Settings = Callable[[str], None]
LEADS = ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS")
EXTRAS = ("icalendar", "imapclient", "xcffib", "jeepney", "lark", "aiosmtplib", "websockets")
OVER_EXTRAS = tuple(
    f"sayso.providers.{name}"
    for name in (
        "calendar.vdir",
        "calendar.ical",
        "mail.imap",
        "apps.x11",
        "browser.remote.websocket",
        "dbus.connection",
    )
)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing lead to a session."""
    for name in LEADS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let none of the extras be installed."""
    for name in list(sys.modules):
        if name.startswith(OVER_EXTRAS):
            monkeypatch.delitem(sys.modules, name)
    for name in {*EXTRAS, *(name for name in sys.modules if name.partition(".")[0] in EXTRAS)}:
        monkeypatch.setitem(sys.modules, name, None)


def told() -> dict[str, Any]:
    """Return what doctor found, by what it is about."""
    return {one["about"]: one for one in sayso("doctor", "--json").document["findings"]}


def test_a_path_below_the_home_is_written_with_a_tilde(person: Path):
    told = sayso("doctor").out

    assert "~/Desktop is not there" in told
    assert f"{person}/Desktop" not in told


@pytest.mark.req("X-05")
def test_every_store_names_its_backend_and_says_of_all_others_why_not(person: Path):
    found = told()

    for part in PROVIDERS:
        one = found[part.store]
        named = {other["backend"] for other in one["others"]}
        assert named | {(one["backend"] or "").partition(":")[0]} - {""} >= set(part.backends)
        assert one["why"]
        assert all(other["why"] for other in one["others"])


def test_what_works_only_on_another_system_is_not_advised(person: Path):
    found = told()

    for part in PROVIDERS:
        others = {other["backend"]: (other["why"], other["fix"]) for other in found[part.store]["others"]}
        elsewhere = {kind for kind, system in part.only_on.items() if system != sys.platform}
        assert {others[kind] for kind in elsewhere} <= {("works only on macOS", None)}


def test_the_default_says_what_it_is_and_how_to_name_another(person: Path):
    mail = told()["mail"]

    assert (mail["backend"], mail["why"]) == ("maildir", "a folder of mail on this computer")
    (imap,) = [other for other in mail["others"] if other["backend"] == "imap"]
    assert imap["fix"] == "sayso config set mail.kind imap"


@pytest.mark.req("X-05")
def test_without_a_session_it_is_said_what_would_lead_to_one(person: Path):
    found = told()

    assert (found["apps"]["backend"], found["apps"]["how"]) == (None, "note")
    assert "none of DISPLAY, WAYLAND_DISPLAY and SWAYSOCK is set" in found["apps"]["says"]
    assert found["apps"]["fix"] == found["desktop"]["fix"] == "start sayso from within your desktop"


def test_a_screen_that_is_gone_is_named(person: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DISPLAY", ":987")

    found = told()

    assert found["apps"]["why"] == "DISPLAY names an X11 session (:987)"
    assert found["windows"]["how"] == "note"
    assert "no X server answers on ':987'" in found["windows"]["says"]
    assert found["windows"]["fix"]
    assert found["clipboard"]["fix"]


def test_a_screen_that_is_gone_is_trouble_where_the_settings_name_it(
    person: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    settings('[apps]\nkind = "x11"\n')
    monkeypatch.setenv("DISPLAY", ":987")

    run = sayso("doctor")

    assert run.code == 1
    assert "✗ windows" in run.out


def test_a_browser_that_the_settings_name_and_that_is_not_there_is_trouble(person: Path, settings: Settings):
    settings('[browser]\ncdp_url = "http://127.0.0.1:9"\n')

    run = sayso("doctor", "--json")

    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert run.code == 1
    assert "nothing answers at 127.0.0.1:9 (browser.cdp_url names it)" in broken["says"]
    assert "sayso config unset browser.cdp_url" in broken["fix"]


@pytest.mark.usefixtures("bare")
async def test_a_plain_install_is_no_trouble_and_says_which_command_installs_what_it_lacks(
    person: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DISPLAY", ":987")

    found = {one.about: one for one in await findings(os.environ)}

    assert not [one for one in found.values() if one.how == "broken"]
    assert [found[name].how for name in ("calendar", "apps")] == ["note", "note"]
    assert found["calendar"].fix == add_extra("calendar")
    assert found["apps"].fix.endswith(add_extra("desktop"))
    assert found["tabs and pages"].fix == add_extra("browser")
    assert found["mail search"].fix == add_extra("mail")


@pytest.mark.usefixtures("bare")
async def test_what_the_settings_name_and_is_not_installed_is_trouble(person: Path, settings: Settings):
    settings('[mail]\nkind = "imap"\nhost = "mail.example.org"\nuser = "ana"\n')

    (broken,) = [one for one in await findings(os.environ) if one.how == "broken"]

    assert (broken.about, broken.fix) == ("mail", add_extra("mail"))


def test_what_works_only_on_another_system_is_told_once_and_not_below_each_line(person: Path):
    lines = sayso("doctor").out.splitlines()

    (line,) = [line for line in lines if line.startswith("· macOS")]
    assert "files" in line
    assert not [line for line in lines if "works only on" in line]


def test_simulations_are_told_once_and_not_below_each_line(person: Path):
    lines = [line for line in sayso("doctor").out.splitlines() if "memory" in line]

    assert [line.split()[1] for line in lines] == ["simulations"]


def test_the_document_has_the_four_words_of_every_finding(person: Path):
    document = sayso("doctor", "--json").document

    assert all({"about", "how", "says", "fix"} <= one.keys() for one in document["findings"])
    assert json.dumps(document)

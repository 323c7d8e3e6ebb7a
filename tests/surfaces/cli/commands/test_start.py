"""`sayso doctor` says what works, and how to mend what does not."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered
from tests.surfaces.cli.person import Screen, sayso, states

Settings = Callable[[str], None]


def test_a_fresh_home_is_usable(person: Path):
    run = sayso("doctor")

    assert run.code == 0
    assert "✓ files" in run.out
    assert "is yours alone (0700)" in " ".join(run.out.split())
    assert "Desktop is not there and is left out" in " ".join(run.out.split())
    assert "✓ journal        nothing in it was altered" in run.out
    assert "there is no terminal here" in " ".join(run.out.split())


def test_what_was_asked_for_and_is_broken_is_said_with_its_mending(person: Path, settings: Settings):
    settings('[browser]\ncdp_url = "http://127.0.0.1:9"\n')

    run = sayso("doctor", "--json")

    assert run.code == 1
    assert run.document["usable"] is False
    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert broken["about"] == "tabs and pages"
    assert "browser.cdp_url" in broken["fix"]


def test_a_simulation_is_called_one(person: Path, settings: Settings):
    settings('[desktop]\nkind = "memory"\n')

    findings = sayso("doctor", "--json").document["findings"]

    (desktop,) = [one for one in findings if one["about"] == "desktop"]
    assert "simulation" in desktop["says"]


def test_a_home_that_others_may_look_into_is_broken(person: Path):
    sayso("doctor")
    Path(os.environ["SAYSO_HOME"]).chmod(0o755)

    run = sayso("doctor")

    assert run.code == 1
    assert "chmod 700" in run.out


def by_name(document: Any) -> dict[str, Any]:
    return {one["about"]: one for one in document["findings"]}


@pytest.mark.req("CR-08")
def test_a_damaged_journal_is_one_finding_among_the_others(person: Path, settings: Settings):
    settings("")
    database = Path(os.environ["SAYSO_HOME"]) / "sayso.db"
    database.write_bytes(b"no database at all" * 300)

    run = sayso("doctor", "--json")

    assert run.code == 1
    assert [one["about"] for one in run.document["findings"] if one["how"] == "broken"] == ["journal"]
    found = by_name(run.document)
    assert {"settings", "policy", "folders", "confinement", "files", "mail", "questions"} <= set(found)
    assert "is damaged (file is not a database)" in found["journal"]["says"]
    assert f"'{database}'" in found["journal"]["fix"]
    assert "log verify" not in run.out
    assert database.read_bytes() == b"no database at all" * 300


@pytest.mark.parametrize("text", ["[policy\n", "[policy]\nmod = 1\n", '[policy]\nmode = "sometimes"\n'])
def test_settings_that_cannot_be_read_are_one_finding_among_the_others(person: Path, settings: Settings, text: str):
    sayso("log")
    settings(text)

    run = sayso("doctor", "--json")

    assert run.code == 1
    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert broken["about"] == "settings"
    assert "config.toml" in broken["says"]
    assert "config.toml.old" in broken["fix"]
    found = by_name(run.document)
    assert {"privacy", "folders", "confinement", "files", "mail", "journal", "questions"} <= set(found)
    assert found["journal"]["how"] == "good"


def test_both_may_be_broken_at_once(person: Path, settings: Settings):
    settings("[policy\n")
    (Path(os.environ["SAYSO_HOME"]) / "sayso.db").write_bytes(b"no database at all" * 300)

    run = sayso("doctor")

    assert run.code == 1
    assert "✗ settings" in run.out
    assert "✗ journal" in run.out


def test_a_fresh_home_whose_settings_cannot_be_read_has_no_journal_yet(person: Path, settings: Settings):
    settings("[policy\n")

    found = by_name(sayso("doctor", "--json").document)

    assert found["journal"]["how"] == "note"
    assert not (Path(os.environ["SAYSO_HOME"]) / "sayso.db").exists()


def test_the_demonstration_runs_without_an_answer():
    run = sayso("try")

    assert run.code == 0
    assert "Traceback" not in run.err


FOLDERS, MODE, WRITE, MODEL = "Folders that", "How often should", "Write this?", "Set one up now"
COMMENTED = '# mine\n[policy] # of policy\nroots = ["~/Downloads"]  # only these\nwaiting_expires = "2h"\n'


@pytest.fixture(autouse=True)
def no_vendors(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture
def config(person: Path) -> Path:
    return person.parent / "sayso" / "config.toml"


def said(config: Path) -> dict[str, Any]:
    return tomllib.loads(config.read_text())


def leave_the_model(screen: Screen) -> int:
    """Say no to a model, where a program on this computer could be one."""
    if MODEL in screen.until(lambda text: MODEL in text or "work here now" in text or "None of the" in text):
        answered(screen, (MODEL, "n"))
    return screen.end()


def test_with_enter_alone_the_safest_is_shown_and_written_and_each_wish_it_names_is_planned_when_typed(
    sit: Sit, config: Path
):
    screen = sit("setup")
    answered(screen, (FOLDERS, ""), (MODE, ""))
    shown = screen.see(WRITE)
    assert not config.parent.exists()
    answered(screen, (WRITE, "y"))

    assert leave_the_model(screen) == 0
    wishes = [line.split()[2:] for line in screen.text.splitlines() if line.startswith("  sayso ask ")]
    came = [sayso("ask", *words, "--dry-run", "--json") for words in wishes]

    assert 'roots = ["~/Documents", "~/Downloads"]' in shown
    assert said(config) == {"policy": {"roots": ["~/Documents", "~/Downloads"], "mode": "always"}}
    assert config.stat().st_mode & 0o077 == 0
    assert config.parent.stat().st_mode & 0o077 == 0
    assert "sayso config unset policy.mode" in screen.text
    assert len(wishes) == 3
    assert "Reminders ring only while “sayso service” runs" in screen.text
    assert {state for one in came for state in states(one.document)} == {"planned"}
    assert all(one.code == 0 for one in came)


def test_run_again_it_changes_only_what_is_answered_otherwise(sit: Sit, config: Path):
    config.parent.mkdir(mode=0o700)
    config.write_text(COMMENTED)

    first = sit("setup")
    answered(first, (FOLDERS, ""), (MODE, "destructive"))
    shown = first.see(WRITE)
    answered(first, (WRITE, "y"))
    assert leave_the_model(first) == 0
    after = config.read_text()
    again = sit("setup")
    answered(again, (FOLDERS, ""), (MODE, ""))
    assert leave_the_model(again) == 0

    assert "roots =" not in shown.partition("What changes in")[2]
    assert after == f'{COMMENTED}mode = "destructive"\n'
    assert "says all of this already; nothing is changed" in " ".join(again.text.split())
    assert config.read_text() == after


def test_a_wrong_answer_is_asked_again_and_a_whole_home_is_none(sit: Sit, config: Path):
    screen = sit("setup")
    answered(screen, (FOLDERS, "~"), (FOLDERS, "Nowhere"), (FOLDERS, "Documents"))
    answered(screen, (MODE, "sometimes"), (MODE, "never"), (WRITE, "y"))
    assert leave_the_model(screen) == 0

    assert "your whole home" in screen.text
    assert "“~/Nowhere” is not a folder that is there" in screen.text
    assert said(config) == {"policy": {"roots": ["~/Documents"], "mode": "never"}}


@pytest.mark.parametrize("until", [(), ((FOLDERS, "Documents"),), ((FOLDERS, ""), (MODE, ""))])
def test_ctrl_c_leaves_everything_as_it_was(sit: Sit, config: Path, until: tuple[tuple[str, str], ...]):
    screen = sit("setup")
    answered(screen, *until)
    screen.until(lambda text: text.rstrip().split("\n")[-1].startswith((FOLDERS, MODE, WRITE)[len(until)]))
    screen.type("\x03")

    assert screen.end() == 3
    assert "Left; nothing was changed." in screen.text
    assert not config.parent.exists()


def test_a_no_changes_nothing(sit: Sit, config: Path):
    screen = sit("setup")
    answered(screen, (FOLDERS, ""), (MODE, ""), (WRITE, ""))

    assert screen.end() == 3
    assert "No; nothing was changed." in screen.text
    assert not config.parent.exists()


def test_a_key_in_the_environment_is_named_and_not_shown_and_leaving_the_model_leaves_the_rest(
    sit: Sit, config: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "s3cret")
    screen = sit("setup")
    answered(screen, (FOLDERS, ""), (MODE, ""), (WRITE, "y"), (MODEL, "y"))
    screen.see("Which model")
    screen.type("\x03")

    assert screen.end() == 0
    assert "Anthropic: its key stands in ANTHROPIC_API_KEY" in screen.text
    assert b"s3cret" not in screen.raw
    assert "what was written before stays" in screen.text
    assert "model" not in said(config)


def test_where_nobody_can_be_asked_it_says_what_it_would_ask(config: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GEMINI_API_KEY", "s3cret")

    told, plain = sayso("setup", "--json"), sayso("setup")

    asks = {one["setting"]: one for one in told.document["asks"]}
    assert (told.code, plain.code) == (3, 3)
    assert asks["policy.roots"]["offered"] == ["~/Documents", "~/Downloads"]
    assert (asks["policy.mode"]["now"], asks["policy.mode"]["offered"]) == ("destructive", "always")
    assert "gemini" in [one["vendor"] for one in told.document["models"]]
    assert "s3cret" not in told.out
    assert "Folders that sayso may work in [~/Documents, ~/Downloads]" in plain.out
    assert "type it on your terminal" in plain.err
    assert not config.parent.exists()


def test_settings_that_cannot_be_read_are_said_and_left(sit: Sit, config: Path):
    config.parent.mkdir(mode=0o700)
    config.write_text("[policy]\nodd = 1\n")
    screen = sit("setup")

    assert screen.end() == 2
    assert "odd" in screen.text
    assert config.read_text() == "[policy]\nodd = 1\n"


def first_lines(screen: Screen) -> str:
    """Return what setup says before its first question, and leave it."""
    screen.see("Folders that sayso may work in")
    shown = " ".join(screen.text.split())
    screen.type("\x03")
    screen.end()
    return shown.partition("“sayso doctor” shows all of this")[0]


def test_setup_ticks_no_mailbox_that_is_not_there(person: Path, sit: Sit):
    without = first_lines(sit("setup"))
    for folder in ("cur", "new", "tmp"):
        (person / "Maildir" / folder).mkdir(parents=True)
    with_one = first_lines(sit("setup"))

    ticked, _, rest = without.partition("· ")
    assert "✓ works here: files" in ticked
    assert "mail" not in ticked
    assert "mailboxes: not available: no mailbox is set up" in rest
    assert "→ sayso config mail" in rest
    assert "mail" in with_one.partition("· ")[0]


def test_setup_says_of_an_account_on_a_server_that_it_was_not_tried(person: Path, settings: Settings, sit: Sit):
    settings('[mail]\nkind = "imap"\nhost = "127.0.0.1"\nuser = "ana"\npassword_command = ["true"]\n')

    shown = first_lines(sit("setup"))

    assert "mail" not in shown.partition("· ")[0]
    assert "· mail: set up (imap:ana), and not tried now → sayso config mail tries it" in shown

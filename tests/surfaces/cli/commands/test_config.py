"""`sayso config` reads settings for anybody and changes them for the person alone."""

import os
from pathlib import Path

import pytest

from sayso.core.provider import add_extra
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states


def test_places_are_printed():
    document = sayso("config", "path", "--json").document

    home = os.environ["SAYSO_HOME"]
    assert document["config"] == f"{home}/config.toml"
    assert document["database"] == f"{home}/sayso.db"
    assert f"{home}/config.toml" in sayso("config", "path").out


def test_one_place_is_printed_alone_so_that_a_shell_can_use_it():
    home = os.environ["SAYSO_HOME"]

    assert sayso("config", "path", "actions").out == f"{home}/actions\n"
    assert sayso("config", "path", "actions", "--json").document == {"actions": f"{home}/actions"}
    assert "did you mean “actions”" in sayso("config", "path", "action").err


def test_one_setting_or_all_are_read():
    assert sayso("config").out == sayso("config", "get").out
    assert sayso("config", "get", "policy.mode").out == "destructive\n"
    assert sayso("config", "get", "policy.mode", "--json").document == {"name": "policy.mode", "value": "destructive"}
    assert sayso("config", "get", "--json").document["limits.actions_per_run"] == 5000


@pytest.mark.parametrize("words", ["set policy.mode never", "unset policy.mode", "profile default"])
def test_a_program_changes_nothing(scratch_home: Path, words: str):
    run = sayso("config", *words.split())

    assert run.code == 3
    assert not Path(os.environ["SAYSO_HOME"], "config.toml").exists()


def test_the_person_changes_a_setting(scratch_home: Path, sit: Sit):
    screen = sit("config", "set", "policy.mode", "always")

    assert screen.end() == 0
    assert sayso("config", "get", "policy.mode").out == "always\n"


@pytest.mark.req("S0-83")
def test_the_safe_profile_allows_exactly_three_operations(scratch_home: Path, sit: Sit):
    assert sit("config", "profile", "safe").end() == 0

    operations = sayso("operations", "--json").document["operations"]

    assert sorted(one["id"] for one in operations if one["enabled"]) == ["clipboard.write", "notify.show", "url.open"]


def test_a_wrong_value_is_told_and_not_written(scratch_home: Path, sit: Sit):
    screen = sit("config", "set", "policy.mode", "sometimes")

    assert screen.end() == 2
    assert "always, destructive, never" in screen.text
    assert sayso("config", "get", "policy.mode").out == "destructive\n"


@pytest.mark.parametrize(
    "words", ["set policy.mode", "profile", "unset", "path policy.mode", "get a b", "mail x", "get --remove"]
)
def test_words_too_few_or_too_many_are_told(words: str):
    assert sayso("config", *words.split()).code == 2


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ("apps", "quartz"),
        ("mail", "outlook"),
        ("calendar", "eventkit"),
        ("browser", "netscape"),
        ("desktop", "windows"),
    ],
)
def test_a_kind_that_this_version_does_not_have_is_refused_and_one_of_an_older_file_is_taken_away(
    scratch_home: Path, sit: Sit, section: str, kind: str
):
    name = f"{section}.kind"
    set_ = sit("config", "set", name, kind)
    refused = (set_.end(), " ".join(set_.text.split()))
    file = Path(os.environ["SAYSO_HOME"], "config.toml")
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.write_text(f'[{section}]\nkind = "{kind}"\n')

    run = sayso("run", "-", "--dialect", "lines", text="CALENDAR_TODAY\n")
    unset = sit("config", "unset", name)

    assert refused[0] == 2
    assert "must be one of" in refused[1]
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert f"“kind” in [{section}] must be one of" in run.err
    assert unset.end() == 0
    assert sayso("config", "get", name).code == 0


@pytest.mark.parametrize(("what", "package"), [("mail", "imapclient"), ("calendar", "httpx2")])
def test_an_account_whose_packages_are_not_there_names_the_one_command(tmp_path: Path, what: str, package: str):
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('none', name='{package}')\n")

    run = sayso("config", what, PYTHONPATH=str(tmp_path))

    assert run.code == 2
    assert run.err == f"sayso: setting up {what} needs {package}, which is not installed: {add_extra(what)}\n"


@pytest.mark.req("T-53")
def test_nothing_runs_while_paused(person: Path):
    assert sayso("pause", "--json").document == {"paused": True}

    run = sayso("run", "--dialect", "lines", "--json", text='CREATE_FOLDER "~/Documents/x"\n')

    assert run.code == 3
    assert states(run.document) == ["refused"]
    assert not (person / "Documents" / "x").exists()


def test_parsing_still_works(person: Path):
    sayso("pause")

    assert sayso("parse", "--dialect", "lines", text="").code == 0


def test_a_program_cannot_resume(person: Path):
    sayso("pause")

    run = sayso("resume")

    assert run.code == 3
    assert "type it on your terminal" in run.err
    assert sayso("config", "get", "policy.paused").out == "true\n"


def test_the_person_can(person: Path, sit: Sit):
    sayso("pause")

    assert sit("resume").end() == 0

    assert sayso("config", "get", "policy.paused").out == "false\n"

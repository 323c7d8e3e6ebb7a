"""Changes of settings, triggers and servers are rows of the journal that say who changed what, and from what."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from anyio import to_thread

import sayso
from sayso.assembly.own_changes import differences, written_down
from sayso.config import load
from sayso.config.write import add_server, add_trigger, remove_server, remove_trigger, set_key, set_keys, unset_key
from sayso.core.errors import ProposalError
from sayso.core.record import Record
from sayso.runtime.own_changes import is_own

TABLE = {"name": "tidy", "says": "tidy up", "lines": "ADD_TASK x", "schedule": "daily 18:00"}


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    (tmp_path / "own").mkdir()
    return {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")}


async def own(environ: Mapping[str, str]) -> list[Record]:
    """Return the changes that the journal has, oldest first."""
    async with sayso.open_home(environ["SAYSO_HOME"], environ=dict(environ)) as home:
        return [row for row in reversed(await home.log()) if is_own(row)]


def test_each_change_is_said_with_what_was_before(environ: Mapping[str, str]):
    at = load(environ).places
    set_keys(at, {"policy.mode": "always", "policy.allowed_operations": ["task.*"]})
    add_server(at, "notes", {"command": ["notes-server"]}, ("mcp",))
    before = load(environ, others=("mcp",))
    set_key(at, "policy.mode", "never", ("mcp",))
    unset_key(at, "policy.allowed_operations", ("mcp",))
    add_trigger(at, TABLE, ("mcp",))
    remove_server(at, "notes", ("mcp",))
    middle = load(environ, others=("mcp",))
    remove_trigger(at, "tidy", ("mcp",))

    first = differences(before, middle)
    second = differences(middle, load(environ, others=("mcp",)))

    assert [change.summary for change in first] == [
        "Set policy.mode to “never”; it was “always”",
        'Set policy.allowed_operations to ["*"]; it was ["task.*"]',
        "Add the trigger “tidy” (daily 18:00): tidy up",
        "Unwrap the MCP server “notes”",
    ]
    assert first[0].arguments == {"setting": "policy.mode", "from": "always", "to": "never"}
    assert [change.operation for change in second] == ["triggers.remove"]
    assert differences(before, before) == []


def test_pausing_and_the_times_of_a_trigger_are_said_in_words(environ: Mapping[str, str]):
    at = load(environ).places
    was = load(environ)
    set_key(at, "policy.paused", "true")
    for number, cron in enumerate(["0 8 * * 1", "5 18 * * 3,7", "30 7 * * *", "*/5 * * * 1", "0 8 1 * *"]):
        add_trigger(at, TABLE | {"name": f"t{number}", "schedule": cron}, ())
    now = load(environ)

    there = [change.summary for change in differences(was, now)]
    back = [change.summary for change in differences(now, was)]

    assert (there[0], back[0]) == ("Paused everything", "Resumed")
    assert [said.partition("(")[2].removesuffix("): tidy up") for said in there[1:]] == [
        "every Monday at 8:00",
        "every Wednesday, Sunday at 18:05",
        "every day at 7:30",
        "*/5 * * * 1",
        "0 8 1 * *",
    ]


async def test_what_the_person_changes_in_the_terminal_is_a_row_that_cannot_be_taken_back(environ: Mapping[str, str]):
    at = load(environ).places

    def changed() -> None:
        with written_down(environ, print):
            set_key(at, "policy.mode", "always")
        with written_down(environ, print):
            set_key(at, "policy.mode", "always")

    await to_thread.run_sync(changed)
    (row,) = await own(environ)

    assert (row.operation, row.entry, row.marks.approved_by) == ("settings.set", "cli", "terminal")
    assert row.arguments == {"setting": "policy.mode", "from": "destructive", "to": "always"}
    async with sayso.open_home(environ["SAYSO_HOME"], environ=dict(environ)) as home:
        with pytest.raises(ProposalError, match="nothing to take back"):
            await home.undoable()
        assert (await home.journal.verify()).ok


async def test_a_broken_settings_file_can_be_mended_and_a_lost_journal_is_told(
    environ: Mapping[str, str], tmp_path: Path
):
    at, told = load(environ).places, list[str]()
    at.config.write_text('[policy]\nmode = "sometimes"\n')

    def mended() -> None:
        with written_down(environ, told.append):
            set_key(at, "policy.mode", "always")

    await to_thread.run_sync(mended)
    assert [row.marks.message for row in await own(environ)] == ["Change settings that could not be read before"]
    with closing(sqlite3.connect(at.database)) as connection:
        connection.execute("PRAGMA user_version = 999")
    await to_thread.run_sync(lambda: changed_again(environ, told))

    assert load(environ).get("policy.mode") == "never"
    assert len(told) == 1
    assert "this is changed, but it could not be written down in the journal: the journal" in told[0]


def changed_again(environ: Mapping[str, str], told: list[str]) -> None:
    """Change a setting once more."""
    with written_down(environ, told.append):
        set_key(load(environ).places, "policy.mode", "never")

"""What is changed in the file of settings with an editor gets rows in the history, as what sayso changes does."""

from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

import sayso
from sayso.assembly.own_changes import written_down
from sayso.assembly.parts import read_settings
from sayso.assembly.seen_settings import note_own
from sayso.config.write import set_keys
from sayso.core.record import Record


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    (tmp_path / "own").mkdir(mode=0o700)
    return {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")}


def write(environ: Mapping[str, str], text: str) -> None:
    """Write the file of settings, as an editor does."""
    file = Path(environ["SAYSO_HOME"], "config.toml")
    file.with_suffix(".new").write_text(text)
    file.with_suffix(".new").replace(file)


async def opened(environ: Mapping[str, str]) -> list[Record]:
    """Open the home and return its history, oldest first."""
    async with sayso.open_home(environ=environ) as home:
        return (await home.log())[::-1]


def told(rows: list[Record]) -> list[tuple[str | None, str, str]]:
    return [(row.marks.approved_by, row.entry, row.summary) for row in rows]


async def test_what_an_editor_changed_is_a_row_with_what_it_was_before_and_only_once(environ: Mapping[str, str]):
    await opened(environ)
    write(environ, '[policy]\nmode = "always"\n[[trigger]]\nname = "tea"\nsays = "make tea"\nwords = "list my tasks"\n')

    first = await opened(environ)
    again = await opened(environ)
    write(environ, "[automation]\nenabled = false\n")
    last = await opened(environ)

    assert told(first) == [
        ("editor", "editor", "Set policy.mode to “always”; it was “destructive”"),
        ("editor", "editor", "Add the trigger “tea” (when you fire it): make tea"),
    ]
    assert first[0].arguments == {"setting": "policy.mode", "from": "destructive", "to": "always"}
    assert again == first
    assert [summary for _, _, summary in told(last[2:])] == [
        "Set policy.mode to “destructive”; it was “always”",
        "Set automation.enabled to false; it was true",
        "Remove the trigger “tea” (when you fire it): make tea",
    ]


async def test_what_sayso_changes_itself_is_no_change_by_an_editor_and_hides_none(environ: Mapping[str, str]):
    await opened(environ)

    async with sayso.open_home(environ=environ) as home:
        write(environ, "[policy]\nstop_on_error = true\n")
        before = home.settings
        set_keys(before.places, {"policy.mode": "always"})
        await note_own(home, before, by="click")

    assert told(await opened(environ)) == [
        ("editor", "editor", "Set policy.stop_on_error to true; it was false"),
        ("click", "page", "Set policy.mode to “always”; it was “destructive”"),
    ]


def test_the_terminal_writes_down_what_an_editor_changed_before_it(environ: Mapping[str, str]):
    anyio.run(opened, environ)
    write(environ, "[policy]\nstop_on_error = true\n")
    places = read_settings(environ).places

    with written_down(environ, print):
        set_keys(places, {"policy.mode": "always"})

    ways = [way for way, _, _ in told(anyio.run(opened, environ))]
    assert ways == ["editor", "terminal"]


@pytest.mark.parametrize("spoilt", ["policy = 3", "\0"])
async def test_an_invalid_file_is_looked_at_again_once_it_is_valid(environ: Mapping[str, str], spoilt: str):
    await opened(environ)

    async with sayso.open_home(environ=environ) as home:
        write(environ, spoilt)
        await note_own(home, home.settings, by="click")
        rows = await home.log()
    write(environ, '[policy]\nmode = "always"\n')

    assert rows == []
    assert [way for way, _, _ in told(await opened(environ))] == ["editor"]


async def test_the_command_of_a_wrapped_server_which_may_name_a_secret_stands_in_no_row_and_no_file(
    environ: Mapping[str, str],
):
    await opened(environ)
    write(environ, '[mcp.servers.files]\ncommand = ["serve-files", "--token-of", "s3cr3t"]\n')

    rows = await opened(environ)

    own = Path(environ["SAYSO_HOME"])
    assert [row.summary for row in rows] == ["Wrap the MCP server “files”"]
    assert b"s3cr3t" not in b"".join(file.read_bytes() for file in own.glob("s*.*"))
    assert (own / "settings.seen").stat().st_mode & 0o777 == 0o600

"""Grants and permissions: what is asked for once, and never again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.assembly import Home
from sayso.core.decision import Decision
from sayso.core.grant import Grant, Wish
from sayso.testing.fakes import Says
from tests.journeys.ground import Ground, a_ground, states

MOVE = "MOVE_FILE ~/Documents/{0}.txt ~/Downloads/{0}.txt"
WRITE = "WRITE_FILE ~/Documents/{0}.txt again"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path)
    ground.file("a.txt")
    return ground


async def permitted(home: Home, text: str, *vary: str, uses: int | None = None) -> Grant:
    """Do it with a yes, and permit what is like it."""
    done = await home.run(text, approver=Says(True))
    offer = await home.grants.offer(Wish(done.outcomes[0].record.id, vary, uses=uses))
    return await home.grants.give(offer, Decision(True, "terminal", offer.digest))


@pytest.mark.req("AV-11")
async def test_a_link_put_in_the_way_asks_again(ground: Ground):
    other = ground.file("private/b.txt", "secret")
    async with ground.opened() as home:
        await permitted(home, WRITE.format("a"), "path", "content")
        ground.file("b.txt")
        plain = await home.run(WRITE.format("b"))
        (ground.documents / "c.txt").symlink_to(other)
        linked = await home.run(WRITE.format("c"))
        (ground.documents / "d.txt").mkdir()
        folder = await home.run("MOVE_FILE ~/Documents/d.txt ~/Documents/e.txt")

    assert states(plain) == ["done"]
    assert states(linked) in (["waiting"], ["refused"], ["failed"])
    assert states(folder) == ["waiting"]
    assert other.read_text() == "secret"


@pytest.mark.req("AV-11")
async def test_what_would_be_created_or_replaced_where_it_was_not_asks_again(ground: Ground):
    async with ground.opened() as home:
        (ground.own / "config.toml").write_text('[policy]\nmode = "always"\n')
        await permitted(home, WRITE.format("a"), "path", "content")
        replaced = await home.run("WRITE_FILE ~/Documents/a.txt other")
        created = await home.run(WRITE.format("new"))

    assert states(replaced) == ["done"]
    assert states(created) == ["waiting"]


def run_at_once(ground: Ground, texts: list[str]) -> list[int]:
    """Run each text in a process of its own, without a terminal, and return the exit codes in order of size."""
    environ = {**os.environ, "HOME": str(ground.home), "SAYSO_HOME": str(ground.own)}
    words = [sys.executable, "-m", "sayso", "run", "--dialect", "lines", "--json"]
    runs = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ, start_new_session=True)
        for _ in texts
    ]
    for run, text in zip(runs, texts, strict=True):
        assert run.stdin is not None
        run.stdin.write(text.encode())
        run.stdin.close()
    return sorted(run.wait(timeout=50) for run in runs)


async def test_of_processes_that_run_at_once_one_has_the_last_use(ground: Ground):
    async with ground.opened() as home:
        grant = await permitted(home, MOVE.format("a"), "source", "destination", uses=1)
    for name in "bcde":
        ground.file(f"{name}.txt")

    codes = run_at_once(ground, [MOVE.format(name) for name in "bcde"])

    async with ground.opened() as home:
        kept = await home.grants.get(grant.id)
        sound = await home.journal.verify()
    assert codes == [0, 3, 3, 3]
    assert (kept.uses, home.grants.ended(kept)) == (1, "used up")
    assert sum((ground.home / "Downloads" / f"{name}.txt").exists() for name in "bcde") == 1
    assert sound.ok


# Root may do everything; without these powers it is held to the modes like any person.
WITHOUT_POWERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all")


def run(text: str) -> dict[str, object]:
    held = WITHOUT_POWERS if os.geteuid() == 0 else ()
    words = (*held, sys.executable, "-m", "sayso", "run", "-", "--dialect", "lines", "--yes", "--json")
    ended = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    return json.loads(ended.stdout)["results"][0]


@pytest.mark.needs("setpriv")
@pytest.mark.parametrize("closed", ["from", "to"])
def test_a_move_out_of_or_into_a_closed_folder_names_both_ends(scratch_home: Path, closed: str) -> None:
    for folder in ("from", "to"):
        (scratch_home / "Documents" / folder).mkdir(parents=True)
    (scratch_home / "Documents/from/a").write_text("x")
    (scratch_home / "Documents" / closed).chmod(0o555)

    result = run("MOVE_FILE ~/Documents/from/a ~/Documents/to/a")
    (scratch_home / "Documents" / closed).chmod(0o755)

    assert (result["state"], result["code"]) == ("failed", "path.not_permitted")
    assert "“~/Documents/from/a” or “~/Documents/to/a”" in str(result["error"])
    assert (scratch_home / "Documents/from/a").read_text() == "x"


@pytest.mark.needs("setpriv")
def test_a_file_that_may_not_be_read_is_said_and_not_copied(scratch_home: Path) -> None:
    (scratch_home / "Documents").mkdir()
    (scratch_home / "Documents/a").write_text("x")
    (scratch_home / "Documents/a").chmod(0)

    result = run("COPY_FILE ~/Documents/a ~/Documents/b")

    assert result["state"] == "failed"
    assert "~/Documents/a" in str(result["error"])
    assert [path.name for path in (scratch_home / "Documents").iterdir()] == ["a"]

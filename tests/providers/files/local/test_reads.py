"""The reads speak for the settings and the Trash too, and turn every fault of the system into a sentence."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from tests.providers.files.local.desk import Desk

ROOT = Path(__file__).parents[4]


async def test_settings_and_tokens_come_from_the_ground(tmp_path: Path):
    desk = Desk(tmp_path, options={"append_missing": "error"})

    assert await desk.reads.append_missing() == "error"
    assert await Desk(tmp_path).reads.append_missing() == "create"
    assert desk.reads.token() == "token000000000000001"


async def test_a_name_in_the_trash_can_be_asked_for_what_is_not_there_yet(desk: Desk):
    item = await desk.reads.look(str(desk.file("a.txt")))
    (desk.documents / "a.txt").unlink()

    assert await desk.reads.trash_entry(item) is not None


async def test_a_path_with_a_file_in_the_middle_is_said(desk: Desk):
    desk.file("a")

    with pytest.raises(ProviderError, match="“~/Documents/a” is not a folder"):
        await desk.reads.look("~/Documents/a/b")


PROGRAM = """
import os, sys, anyio
from pathlib import Path
from tests.providers.files.local.desk import Desk

desk = Desk(Path(sys.argv[1]))
secret = desk.file("a")
secret.chmod(0)

async def main():
    await desk.reads.read(str(desk.file("b")), 10)  # loads what a stranger may not be able to load
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(12345)
        os.setuid(12345)
    print(repr((await desk.reads.look("~/Documents/a")).fact.sha256))
    try:
        await desk.reads.read("~/Documents/a", 10)
    except Exception as said:
        print(type(said).__name__, said.code, said)

anyio.run(main)
"""


def test_what_may_not_be_read_is_said():
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        run = [sys.executable, "-c", PROGRAM, base]
        told = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)

    assert told.stdout == "''\nProviderError path.not_permitted you have no permission for “~/Documents/a”\n"

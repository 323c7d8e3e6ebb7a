"""No sequence of file actions gets a word of what lies in sayso's own folder, though somebody says yes to all."""

import json
import logging
import os
import shutil
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from sayso.core.encoding import Json
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import report_json
from tests.journeys.attempts import VERBS
from tests.journeys.ground import Ground, a_file, in_mode, tree, yes

CANARY = "CANARY-51d0c2"
FILES = (
    "token",
    "key.pem",
    "actions/mine.py",
    ".logs/actions/2026-01-01.jsonl",
    "trash/t0ken/item",
    "tmp/x",
    "sayso.pid",
)
OWN = ".local/state/sayso"
PATHS = (
    "~", "~/.local", "~/.local/state", f"~/{OWN}", f"~/{OWN}/config.toml", f"~/{OWN}/sayso.db", f"~/{OWN}/token",
    f"~/{OWN}/actions/mine.py", f"~/{OWN}/trash/t0ken/item", f"~/Documents/../{OWN}/token", f"~/{OWN.upper()}/token",
    "~/Documents", "~/Documents/way", "~/Documents/way/token", "~/Documents/up/state/sayso/token", "~/Documents/file",
    "~/Documents/a.txt", "~/Documents/free", "~/Documents/free/sayso/token", "~/Documents/hard", "~/Downloads/x",
)  # fmt: skip
PATTERNS = ("*", "token", "CANARY*", "sayso", "*.py")


def calls() -> some.SearchStrategy[tuple[str, dict[str, Json]]]:
    """Draw one operation on paths that lead to sayso's own, around it, or nowhere near."""
    paths = some.sampled_from(PATHS)
    return some.tuples(some.sampled_from(sorted(VERBS)), paths, paths, some.sampled_from(PATTERNS)).map(a_call)


def a_call(drawn: tuple[str, str, str, str]) -> tuple[str, dict[str, Json]]:
    """Return a call with every path in it drawn."""
    verb, path, other, pattern = drawn
    operation, name, more = VERBS[verb]
    rest = {key: other if key in {"source", "destination"} else value for key, value in more.items()}
    if "pattern" in rest:
        rest["pattern"] = pattern
    return operation, {**rest, name: path}


def laid(base: Path) -> Ground:
    """Lay out a home whose whole is a root, with sayso's folder in it and a canary in each file there."""
    ground = Ground(base, OWN)
    for folder in ("Documents", "Downloads"):
        (ground.home / folder).mkdir(parents=True)
    for name in FILES:
        a_file(ground.own / name, f"{name} {CANARY}\n", mode=0o600)
    ground.own.chmod(0o700)
    (ground.own / "config.toml").write_text(f'# {CANARY}\n{in_mode("never")}roots = ["~"]\n')
    (ground.documents / "way").symlink_to(ground.own)
    (ground.documents / "up").symlink_to(ground.home / ".local")
    (ground.documents / "file").symlink_to(ground.own / "token")
    ground.file("a.txt", "mine\n")
    return ground


@pytest.mark.req("SE-01", "FS-11")
@pytest.mark.timeout(240)
@settings(max_examples=40)
@given(sequence=some.lists(calls(), min_size=4, max_size=12))
def test_what_lies_in_sayso_s_folder_appears_nowhere(sequence: list[tuple[str, dict[str, Json]]]):
    base = Path(tempfile.mkdtemp(prefix="sayso-canary-"))
    heard: list[str] = []
    listener = a_listener(heard)
    logging.getLogger().addHandler(listener)
    try:
        ground = laid(base)
        planted = {path: thing for path, thing in tree(ground.own).items() if path in FILES or path == "config.toml"}

        told = anyio.run(all_of, ground, sequence)

        now = tree(ground.own)
        assert {path: now.get(path) for path in planted} == planted, "sayso's own was changed"
        assert CANARY not in told + "".join(heard)
        assert holding_canary(ground) == set()
    finally:
        logging.getLogger().removeHandler(listener)
        shutil.rmtree(base)


async def all_of(ground: Ground, sequence: list[tuple[str, dict[str, Json]]]) -> str:
    """Take every call down the path, as one batch and then each for itself; return all that was told."""
    proposals = [Proposal(index, "", operation, arguments) for index, (operation, arguments) in enumerate(sequence)]
    async with ground.opened() as home:
        reports = [await home.take(proposals, Origin(dialect), yes()) for dialect in ("lines", "tools")]
        records = await home.log()
    return json.dumps([report_json(report) for report in reports]) + repr(records)


def a_listener(heard: list[str]) -> logging.Handler:
    """Return what keeps every line of the log."""

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage() + str(record.exc_info or ""))

    return Listener()


def holding_canary(ground: Ground) -> set[str]:
    """Return the files outside the planted ones that hold a canary, sayso's journal among those looked at."""
    planted = {ground.own / name for name in (*FILES, "config.toml")}
    found: set[str] = set()
    for folder, _, names in os.walk(ground.base):
        for name in names:
            path = Path(folder) / name
            if (
                path not in planted
                and path.is_file()
                and not path.is_symlink()
                and CANARY.encode() in path.read_bytes()
            ):
                found.add(str(path))
    return found

"""However a path is spelt, no file operation gets out: what lies outside is the same after every attempt."""

import os
import posixpath
import shutil
import unicodedata
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.journeys.attempts import (
    CANARY,
    VERBS,
    Attempt,
    Case,
    laid,
    looked_at,
    must_be_told_well,
    on_path,
    places_of,
    plant,
    put,
    stamped,
    tried,
)
from tests.journeys.ground import Ground, a_file

BACK = (
    "..", ".../..", "...", "....", ".. ", "..\u200b", ".\u200b.", "..;", ". .", "..\u00a0", "%2e%2e", "%2E.",
    "%252e%252e",
    "..%00", "\uff0e\uff0e", "\u2025", "\u2024\u2024", "..\\", "..%5c", "..%2f..", "..%c0%af..", "..\u2215..",
    "..\u2044..", "..\uff0f..", ".\u0307.", "./..", "..//.", "a/../..", "d/..", "./d/../..",
)  # fmt: skip
"""What one part of a program may take for “one up”, and another for a name."""
BEFORE = (
    "file://", "file:", "file://localhost", "FILE:///", "fd:", "C:", "C:\\", "c:/", "\\\\?\\",
    "\\\\?\\UNC\\localhost\\c$\\", "\\\\.\\",
    "\\\\localhost\\c$\\", "//localhost/c$", "\\", "~\\", "~root/..", "~+", "~-", "$HOME/../..", "${HOME}/..",
    "%HOME%/../..", "$PWD", "`pwd`", "$(pwd)", "~/$HOME", " ", "\u3000", "\ufeff", "\u202e", "//", "///",
    "/./", "/../",
    "/proc/self/root", "/proc/self/root/proc/self/root", "/proc/1/root", "/proc/thread-self/root",
    "/dev/../proc/self/root",
    "smb://localhost", "http://localhost", "trash:///", "x-special/nautilus",
)  # fmt: skip
"""What may stand before an absolute path."""
AFTER = ("/", "/.", "//", "/./.", " ", ".", "::$DATA", ":stream", "%00", "%20", "?x", "#x", "/../", "\u200b", "~")
DEEP = 3
"""How far below the folder that everything is in a document lies: `home`, `Documents`, its name."""


def leading_out(outside: str, home: str) -> Iterator[str]:
    """Yield spellings that lead, or may be taken to lead, to what lies in the folder `outside`."""
    last = posixpath.basename(outside)
    for target in (f"{outside}/canary.txt", f"{outside}/new", outside):
        name = target.removeprefix(outside)
        yield from (before + target for before in BEFORE)
        yield from (target + after for after in AFTER)
        yield from ("/".join(["~/Documents", *[back] * DEEP, last]) + name for back in BACK)
        yield f"{home}_evil/x"
        yield f"~/Documents/{'a/../' * 700}{'../' * DEEP}{last}{name}"
        yield f"~/Documents/{'x' * 250}/{'../' * (DEEP + 1)}{last}{name}"
        yield f"~/Documents{'/' * 3000}{'../' * DEEP}{last}{name}"
        yield unicodedata.normalize("NFD", f"~/Doc\u00faments/../../{last}{name}")
        yield target.upper()
        yield "".join(f"{char}\u0301" if char == "o" else char for char in target)
    yield from ("~/DOCUMENTS/../../outside/canary.txt", "~/documents/a.txt", "~/Documents /../../outside/new")
    yield f"~/Documents/{'long' * 1100}"
    yield "~/Documents/" + "/".join(["deep"] * 1100)


LINKS = {
    "Documents/d": "{outside}",
    "Documents/top": "/",
    "Documents/up": "../..",
    "Documents/chain": "up/./outside",
    "Documents/loop": "loop",
    "Documents/ring1": "ring2/x",
    "Documents/ring2": "ring1",
    "Documents/procroot": "/proc/self/root",
    "Documents/cwd": "/proc/self/cwd",
    "Documents/held": "/proc/self/fd/{held}",
    "Documents/devheld": "/dev/fd/{held}",
    "Documents/new link": "{outside}/made",
    "Documents/evil": "../../home_evil",
    "Documents/home": "{home}",
    "Documents/dots": "./././up//outside/.",
}
"""Links that somebody left within reach; `{held}` is a descriptor of this very process that is open outside."""
THROUGH = (
    "d/canary.txt", "d/new", "d/in/deep.txt", "d/in/../canary.txt", "d/../outside/canary.txt", "d/../a.txt",
    "top{outside}/canary.txt",
    "up/outside/canary.txt", "chain/canary.txt", "chain/new/x", "loop", "loop/x", "ring1/x",
    "procroot{outside}/canary.txt",
    "cwd/canary.txt", "cwd/new", "held/canary.txt", "held/new", "devheld/canary.txt", "new link",
    "new link/x", "evil/x",
    "home/Documents_evil/x", "home/x", "dots/canary.txt", "d/.", "d//canary.txt", "./d/./new",
)  # fmt: skip
STRAIGHT = (
    "/proc/self/fd/{held}/canary.txt",
    "/dev/fd/{held}/new",
    "/proc/self/cwd/canary.txt",
    "/proc/thread-self/fd/{held}",
)


def through_links() -> Iterator[str]:
    """Yield paths that go through those links, and straight ones to what this process holds open."""
    yield from (f"~/Documents/{path}" for path in THROUGH)
    yield from STRAIGHT


ANY = ["refused", "invalid", "failed", "done", "unchanged"]
"""Many spellings are odd names and no more: such a file may be made, within."""
REFUSED = ["refused", "invalid", "failed"]
SPARSE = 5
"""In the first ring each operation tries each fifth spelling, another fifth than the one before it."""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[int]:
    """Stand in the folder outside, and hold it open, as a careless program would."""
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    descriptor = os.open(outside, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def anew(yard: Ground, case: Case, kept: Path) -> None:
    """Bring the documents back to how they were."""
    for path in yard.documents.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    shutil.copytree(kept, yard.documents, symlinks=True, dirs_exist_ok=True)
    plant(yard, case)


async def nothing_gets_out(yard: Ground, case: Case, attempts: list[Attempt], tmp_path: Path) -> int:
    """Make the attempts; return how many of them were done, each of them within."""
    kept = tmp_path / "kept"
    shutil.copytree(yard.documents, kept, symlinks=True)
    (yard.home / ".local").mkdir()
    whole, outside, stamps, done = looked_at(yard), beyond(yard), stamped(yard), 0
    async with yard.opened() as home:
        for attempt in attempts:
            outcome = await tried(home, attempt)

            state = outcome.record.state.value
            assert beyond(yard) == outside, attempt.aim
            if state in {"done", "unchanged"}:
                assert state in attempt.states, attempt.aim
                done += 1
                anew(yard, case, kept)
                stamps = stamped(yard)
            else:
                must_be_told_well(attempt, outcome)
                assert stamped(yard) == stamps, attempt.aim
    anew(yard, case, kept)
    assert looked_at(yard) == whole
    return done


def beyond(yard: Ground) -> dict[str, tuple[int, ...]]:
    """Return everything out of reach that could have been touched: which one it is, its times, its size, its mode."""
    documents = str(yard.documents)
    return {path: now for path, now in stamped(yard).items() if not f"{path}/".startswith(f"{documents}/")}


def aimed(path: str, verb: str, states: list[str], home: str) -> Attempt:
    """Return an operation on a path; whatever names the path or the argument in its answer is fine."""
    attempt = on_path(Case([], "", states), path, verb, home)
    return Attempt(attempt.operation, attempt.arguments, attempt.aim, attempt.states, ("“",))


@pytest.mark.req("FS-01", "FS-07", "S0-77", "X-16")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("every", [SPARSE, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("verb", VERBS)
async def test_no_spelling_of_a_path_gets_out(tmp_path: Path, verb: str, every: int):
    case = Case([], "", ANY)
    yard = laid(tmp_path, case, "never")
    a_file(Path(f"{yard.home}_evil/x"), CANARY)
    a_file(yard.home / "Documents_evil" / "x", CANARY)
    spelt = dict.fromkeys(leading_out(str(yard.outside), str(yard.home)))

    tries = list(spelt)[list(VERBS).index(verb) % every :: every]
    done = await nothing_gets_out(yard, case, [aimed(path, verb, ANY, str(yard.home)) for path in tries], tmp_path)

    assert len(spelt) > 250
    assert done < len(tries) // 2


@pytest.mark.req("FS-02", "FS-03", "FS-06", "FS-07")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("verb", VERBS)
async def test_no_link_within_leads_an_operation_out(tmp_path: Path, verb: str, held: int):
    case = Case([], "", REFUSED, links={name: put(target, {"held": str(held)}) for name, target in LINKS.items()})
    yard = laid(tmp_path, case, "never")
    a_file(Path(f"{yard.home}_evil/x"), CANARY)
    a_file(yard.home / "Documents_evil" / "x", CANARY)
    places = {**places_of(yard), "held": str(held)}
    aims: list[Attempt] = []
    for path in (put(path, places) for path in through_links()):
        # A link may be moved, copied or deleted as a link; showing reaches the whole home.
        may = f"Documents/{path.removeprefix('~/Documents/').removesuffix('/.')}" in LINKS or verb == "reveal"
        aims.append(aimed(path, verb, ANY if may else REFUSED, str(yard.home)))

    await nothing_gets_out(yard, case, aims, tmp_path)

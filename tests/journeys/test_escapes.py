"""However a path is spelt, no file operation gets out: what lies outside is the same after every attempt."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.journeys.attempts import VERBS, Attempt, Case, on_path, put
from tests.journeys.ground import Ground, a_file
from tests.journeys.spellings import LINKS, leading_out, through_links
from tests.journeys.yards import CANARY, laid, looked_at, must_be_told_well, places_of, plant, stamped, tried

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

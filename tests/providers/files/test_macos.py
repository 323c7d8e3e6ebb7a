"""The files of a simulated Mac: the suite, and the Trash that macOS itself moves things to."""

import json
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Applied, Plan, RevealFile
from sayso.core.ports import Backend, BackendContext
from sayso.providers.desktop.macos.backend import build as build_desktop
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files import FILES
from sayso.providers.files.local.sandbox import Spot
from sayso.providers.files.local.trash import OpenTrash
from sayso.providers.files.macos import MacTrashes, build
from sayso.providers.files.model import Restore, Trash
from sayso.providers.macos.engine import build_engine
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.files import FilesSuite, FileStage
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from tests.mac_env.fixtures import in_node, on
from tests.providers.files.staged import DiskStage


class MacStage(DiskStage):
    """The disk of a simulated Mac."""

    def ground(self) -> BackendContext:
        return replace(super().ground(), environ=SimulatedMac.environ_of(self.base))

    def backend(self) -> Backend:
        return build(self.ground())


@pytest.fixture
def stage(mac: SimulatedMac) -> MacStage:
    """Return the disk of this Mac."""
    return MacStage(mac.folder)


class TestMacos(FilesSuite):
    """The suite on a simulated Mac."""

    @pytest.fixture(autouse=True)
    def _stage(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self.mac = mac
        self.number = 0
        self.folder = tmp_path

    def stage(self) -> AbstractContextManager[FileStage]:
        @contextmanager
        def staged() -> Generator[FileStage]:
            self.number += 1
            folder = self.folder / f"stage-{self.number}"
            SimulatedMac(folder, self.mac.engine)
            yield MacStage(folder)

        return staged()


@in_node
class TestMacosInNode(TestMacos):
    """The same in another engine."""


async def _trashed(stage: MacStage, name: str) -> tuple[Trial, Applied, Trash]:
    """Move a file to the Trash as a plan would, and return what that left."""
    stage.file(f"{stage.root}/{name}", b"alpha")
    trial = Trial(FILES, stage.backend())
    plan = await trial.plan("file.delete", path=f"{stage.root}/{name}")
    step = plan.changes[0].do
    assert isinstance(step, Trash)
    (left,) = await trial.do(plan)
    return trial, left, step


@pytest.mark.req("S0-31", "T-21")
async def test_macos_moves_a_file_to_its_own_trash_and_undo_brings_it_back(stage: MacStage, mac: SimulatedMac):
    trial, left, step = await _trashed(stage, "a b.txt")
    in_trash = Path(step.entry)
    was_there = in_trash.read_bytes()

    await trial.backend.apply(Restore(step.path, step.entry), left.facts)

    assert (in_trash.parent, was_there) == (stage.home / ".Trash", b"alpha")
    assert Path(step.path).read_bytes() == b"alpha"
    assert not in_trash.exists()
    assert [call[0] for call in mac.calls] == ["osascript"]
    assert [file.name for file in (stage.home / ".Trash").iterdir()] == []


@pytest.mark.req("AP-03", "X-06")
@pytest.mark.parametrize("name", ['" & (do shell script "id") & "', "'`${1}`\\", "-rf", "üé🙂"])
async def test_a_name_is_never_part_of_a_script(stage: MacStage, mac: SimulatedMac, name: str):
    _, _, step = await _trashed(stage, name)

    assert Path(step.entry).read_bytes() == b"alpha"
    assert not any("do shell script" in word for call in mac.calls for word in call[:-1])


async def test_what_macos_does_not_move_stays_where_it_was(stage: MacStage, mac: SimulatedMac):
    mac.change(lambda state: state.update(trash_refuses="the volume has no Trash"))

    with pytest.raises(ProviderError, match="the volume has no Trash") as refused:
        await _trashed(stage, "a")

    assert refused.value.code == "trash.refused"
    assert [file.name for file in Path(stage.root).iterdir()] == ["a"]


async def test_without_osascript_nothing_is_moved(stage: MacStage, mac: SimulatedMac):
    (mac.bin / "osascript").unlink()

    with pytest.raises(ProviderError, match="osascript"):
        await _trashed(stage, "a")

    assert [file.name for file in Path(stage.root).iterdir()] == ["a"]


async def test_what_macos_moves_elsewhere_is_told(stage: MacStage, mac: SimulatedMac):
    mac.change(lambda state: state.update(trash_renames=True))

    with pytest.raises(Uncertain, match=r"\.Trash/another ") as uncertain:
        await _trashed(stage, "a")

    assert uncertain.value.code == "trash.elsewhere"


IN_FINDER = """
const finder = Application("Finder"), chosen = finder.selection(), window = finder.finderWindows[0];
JSON.stringify([finder.frontmost(), chosen.map((one) => one.url()), window.target().url(), window.index()]);
"""


@pytest.mark.req("S0-35", "S1-30", "AP-03")
@pytest.mark.parametrize("name", ["a.txt", '" & (do shell script "id") & "', "-R ü 🙂"])
async def test_what_is_revealed_is_selected_in_finder(stage: MacStage, mac: SimulatedMac, name: str):
    path = f"{stage.root}/{name}"
    stage.file(path, b"alpha")
    (reveal,) = (one for one in FILES.operations if one.id == "file.reveal")
    plan = await reveal.call(dict.fromkeys(reveal.stores, Trial(FILES, stage.backend()).seen), {"path": path})
    assert isinstance(plan, Plan)
    (change,) = plan.changes
    assert isinstance(change.do, RevealFile)

    await build_desktop(on(mac)).apply(change.do, ())
    seen = await build_engine(on(mac)).run_jxa(IN_FINDER)

    assert json.loads(seen.output) == [True, [Path(path).as_uri()], Path(path).parent.as_uri() + "/", 1]


class LockedTrashes(MacTrashes):
    """A Trash that macOS lets nobody look into."""

    def _open(self, entry: str, near: Spot, stack: ExitStack, *, create: bool) -> tuple[OpenTrash, Spot] | None:
        raise PermissionError


async def test_a_trash_that_may_not_be_looked_into_takes_things_and_says_how_to_take_them_out(stage: MacStage):
    trashes, entry = LockedTrashes(str(stage.home), FakeClock(), RandomIds()), f"{stage.home}/.Trash/a.token"
    with ExitStack() as stack:
        near = Spot(FOLDER, "a", f"{stage.root}/a", f"{stage.root}/a", "~/Documents/a")

        into = trashes.open(entry, near, stack, create=True)
        with pytest.raises(ProviderError, match="Full Disk Access") as no:
            trashes.open(entry, near, stack, create=False)

    assert into is not None
    assert (into[1].path, no.value.code) == (entry, "trash.not_permitted")


async def test_a_file_that_changed_is_not_moved(stage: MacStage):
    stage.file(f"{stage.root}/a", b"alpha")
    trial = Trial(FILES, stage.backend())
    plan = await trial.plan("file.delete", path=f"{stage.root}/a")
    stage.file(f"{stage.root}/a", b"another")

    no = await refusal_of(trial.do(plan))

    assert no.code == "world.changed"

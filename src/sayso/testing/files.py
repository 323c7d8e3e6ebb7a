"""What every file backend must hold, as a suite that a backend's own test class inherits."""

from collections.abc import Awaitable
from contextlib import AbstractContextManager

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Facts, Left, NotDone, Step
from sayso.core.ports import Backend
from sayso.providers.files.steps import Exchange, Rename, Restore, Unkeep
from sayso.providers.files.store import Files
from sayso.testing.file_deeds import DEEDS, Deed, FileStage, deed_of, plant


class FilesSuite:
    """Inherit it, say how a `stage` is made, and run it with pytest.

    ```python
    class TestMine(FilesSuite):
        def stage(self):  # a context manager that yields an empty FileStage
            return contextlib.nullcontext(MyStage())
    ```
    """

    def stage(self) -> AbstractContextManager[FileStage]:
        """Return an empty world, to be entered."""
        raise NotImplementedError

    async def test_each_step_leaves_what_it_says_and_can_be_taken_back(self) -> None:
        """Do each step and its undo: the facts are those of the contract, and the world is as before."""
        for name in DEEDS:
            with self.stage() as stage:
                deed = await deed_of(name, stage)
                before = stage.tree()
                left = await stage.backend().apply(deed.do, deed.expects)
                unsaid = deed.leaves - {fact.key for fact in left.facts}
                _equal(len(unsaid), 0, f"left unsaid by {name}: {unsaid}")
                _differ(stage.tree(), before, name)
                back = await stage.backend().apply(deed.undo, left.facts)
                _equal(stage.tree(), before, f"taken back: {name}")
                await self._again(stage, deed, back)

    async def _again(self, stage: FileStage, deed: Deed, back: Left) -> None:
        """Go on from what an undo left: it is as good to expect as what a step left."""
        if isinstance(deed.undo, Restore | Unkeep | Exchange | Rename):
            before = stage.tree()
            onward = deed.undo if isinstance(deed.undo, Exchange) else deed.do
            left = await stage.backend().apply(onward, back.facts)
            await stage.backend().apply(deed.undo, left.facts)
            _equal(stage.tree(), before, f"once more: {deed.do}")

    async def test_a_step_is_not_done_when_the_world_has_moved_on(self) -> None:
        """Spoil what each step expects: it says so, and does nothing."""
        for name in DEEDS:
            with self.stage() as stage:
                deed = await deed_of(name, stage)
                deed.spoil(stage)
                before = stage.tree()
                await _no(stage.backend(), deed.do, deed.expects, name)
                _equal(stage.tree(), before, f"spoilt: {name}")

    async def test_an_undo_is_not_done_when_what_was_left_has_changed(self) -> None:
        """Change what each step left: its undo says so, and does nothing (UN-01)."""
        for name in DEEDS:
            with self.stage() as stage:
                deed = await deed_of(name, stage)
                left = await stage.backend().apply(deed.do, deed.expects)
                deed.spoil_after(stage)
                before = stage.tree()
                await _no(stage.backend(), deed.undo, left.facts, name)
                _equal(stage.tree(), before, f"spoilt after: {name}")

    async def test_settling_says_what_became_of_a_step(self) -> None:
        """Ask a new backend before and after each step: not done, then done with the same facts."""
        for name in DEEDS:
            with self.stage() as stage:
                deed = await deed_of(name, stage)
                await _settles(stage, deed.do, deed.expects, name)
                left = await stage.backend().apply(deed.do, deed.expects)
                await _settles_as(stage, deed.do, deed.expects, left, name)
                await _settles(stage, deed.undo, left.facts, f"undo of {name}")
                back = await stage.backend().apply(deed.undo, left.facts)
                await _settles_as(stage, deed.undo, left.facts, back, f"undo of {name}")

    async def test_nothing_is_reached_outside_the_root(self) -> None:
        """Look at, and through links to, what lies outside: refused, for every read (FS-01, FS-02)."""
        with self.stage() as stage:
            plant(stage)
            stage.link(f"{stage.root}/out", "/")
            files: Files = stage.backend().reads
            for path in (f"{stage.root}/../x", "/etc/passwd", f"{stage.root}/out/etc", f"{stage.root}_evil/x"):
                for read in (files.look, files.opened, files.exists, files.free, files.gap):
                    await _refused(read(path), path)


async def _no(backend: Backend, step: Step, expects: Facts, name: str) -> None:
    try:
        left = await backend.apply(step, expects)
    except (ProviderError, Refused):
        return
    raise AssertionError(f"{name}: it was done all the same, leaving {left}")


async def _settles(stage: FileStage, step: Step, expects: Facts, name: str) -> None:
    settled = await stage.backend().settle(step, expects)
    _equal(type(settled), NotDone, f"{name}: before it was done it settles as {settled}")


async def _settles_as(stage: FileStage, step: Step, expects: Facts, left: Left, name: str) -> None:
    settled = await stage.backend().settle(step, expects)
    found = set(settled.facts) if isinstance(settled, Left) else settled
    _equal(found, set(left.facts), f"settled: {name}")


async def _refused(read: Awaitable[object], path: str) -> None:
    try:
        found = await read
    except Refused:
        return
    raise AssertionError(f"{path} was looked at: {found}")


def _equal(found: object, wanted: object, where: str) -> None:
    if found != wanted:
        raise AssertionError(f"{where}\nfound:  {found}\nwanted: {wanted}")


def _differ(found: object, other: object, where: str) -> None:
    if found == other:
        raise AssertionError(f"{where}: nothing was done")

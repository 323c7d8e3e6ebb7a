"""What the backends for desktops share: checking what a step expects, doing it, and what undo would lose."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, ChangeRef, Fact, Facts
from sayso.core.ports import BackendContext
from sayso.providers.desktop.imagined import ImaginedDesktop
from sayso.providers.desktop.model import RestoreClipboard, Steps, describe_change
from sayso.providers.desktop.stash import ClipboardStash
from sayso.providers.desktop.store import Desktop

_KEEP_SECONDS = 90 * 86400


class DesktopBackend(ABC):
    """A backend for the desktop of this computer. A subclass does the steps and looks at what they expect."""

    imagines = True
    note = ""

    def __init__(self, context: BackendContext, stash: ClipboardStash) -> None:
        seconds = context.options.get("undo_keep_seconds")
        self._age = timedelta(seconds=seconds if isinstance(seconds, int) else _KEEP_SECONDS)
        self._clock, self._kill, self._stash = context.clock, context.kill, stash

    @abstractmethod
    async def do_step(self, step: Steps) -> Applied:
        """Do a step. Raises `SetupError` if a program or permission is missing, before anything was changed."""

    @abstractmethod
    async def is_true(self, fact: Fact) -> bool:
        """Return whether a fact is true."""

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if all that it expects is true."""
        await self.check(expects)
        self._kill(f"{step.step}.before")
        try:
            left = await self.do_step(step)
        except SetupError as error:
            raise ProviderError(str(error), error.code) from error
        self._kill(f"{step.step}.after")
        return left

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` for the first of these facts that is not true."""
        for fact in expects:
            if not await self.is_true(fact):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")

    def imagine(self, seen: Desktop, step: Steps, ref: ChangeRef) -> Desktop:
        """Return an `ImaginedDesktop`, which shows the desktop as it would be after `step`."""
        return ImaginedDesktop(seen, step, ref)

    def foretells(self, step: Steps) -> str:
        """Return what undo would not restore; empty when it restores everything."""
        return self._stash.lost(step.kept) if isinstance(step, RestoreClipboard) else ""

    def prune(self) -> int:
        """Remove former contents of the clipboard that are too old; return how many were removed."""
        return self._stash.prune(self._clock.now(), self._age)


def focus_shortcuts(settings: Mapping[str, Json]) -> dict[bool, str]:
    """Return the shortcuts that the settings name for switching do-not-disturb on and off."""
    names = {on: settings.get(key) for on, key in ((True, "dnd_on"), (False, "dnd_off"))}
    return {on: name for on, name in names.items() if isinstance(name, str) and name}

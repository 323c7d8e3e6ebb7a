"""The shortcuts of the Shortcuts application, besides those of the settings."""

from pathlib import Path

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.providers.desktop.shortcuts import USUAL_SECONDS, Shortcuts
from sayso.providers.programs.run import ProgramCall, ProgramRunner

SHORTCUTS = "shortcuts"
HOW_TO_FOCUS = (
    "macOS lets no program switch do-not-disturb; in the Shortcuts application, make one shortcut with the action “Set "
    "Focus” that turns Do Not Disturb on and one that turns it off, and name them with `sayso config set "
    "desktop.dnd_on NAME` and `sayso config set desktop.dnd_off NAME`"
)


class MacShortcuts:
    """Runs a shortcut of the settings, else one of the Shortcuts application."""

    def __init__(self, runner: ProgramRunner, own: Shortcuts, folder: str, ids: Ids) -> None:
        self._runner = runner
        self._own = own
        self._folder = Path(folder)
        self._ids = ids

    async def names(self) -> tuple[str, ...]:
        """Return the names of all shortcuts."""
        listed = await self._runner.run_for_text(ProgramCall(SHORTCUTS, ("list",)))
        return tuple(dict.fromkeys((*self._own.by_name, *filter(None, listed.splitlines()))))

    async def run(self, name: str, given: str | None, seconds: int = USUAL_SECONDS) -> Applied:
        """Run a shortcut to its end. Raises `ProviderError` if the shortcut fails or takes too long (T-25).

        The input is a private file, because `--input-path` takes a path and not a text (T-24).
        """
        if name in self._own.by_name:
            return await self._own.run(name, given, seconds)
        done = await self._runner.run(self._call(name, given, seconds))
        if done.code:
            raise ProviderError(f"the shortcut {quoted(name)} failed: {quoted(done.complaint)}", "shortcut.failed")
        return Applied()

    def _call(self, name: str, given: str | None, seconds: int) -> ProgramCall:
        if given is None:
            return ProgramCall(SHORTCUTS, ("run",), (name,), seconds=seconds, kept=True)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = str(self._folder / f"shortcut-{self._ids.token()}.txt")
        return ProgramCall(
            SHORTCUTS,
            ("run", "--input-path", file),
            (name,),
            seconds=seconds,
            kept=True,
            file=file,
            filed=given.encode("utf-8", "replace"),
        )


def require_focus_shortcuts(chosen: dict[bool, str]) -> None:
    """Raise `SetupError` with instructions unless the settings name a shortcut for on and one for off (T-38)."""
    if len(chosen) < len((True, False)):
        raise SetupError(HOW_TO_FOCUS, "dnd.missing")

"""Show on the terminal for how long something is still held back, and how it is stopped."""

from collections.abc import Awaitable, Callable

from sayso.runtime.waiting import Held, Silently
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.progress import Progress
from sayso.surfaces.cli.style import understands_codes


class Countdown:
    """Waits, and counts down where that can be shown; else it says once what it waits for."""

    def __init__(self, here: Here, progress: Progress, waits: Silently) -> None:
        self._here = here
        self._progress = progress
        self._waits = waits

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait; whoever presses Ctrl-C meanwhile has stopped it."""
        with self._progress.quiet():
            self._here.tell(f"sayso: held back for {held.seconds:g} s: {_named(held)}")
            self._here.tell(f"sayso: Ctrl-C stops it, and so does “sayso undo {held.ids[0]}” on another terminal")
            if not (self._here.err.isatty() and understands_codes(self._here.environ)):
                await self._waits.wait(held, over)
                return
            await self._counted(held, over)

    async def _counted(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        shown = 0

        def tell(left: float) -> None:
            nonlocal shown
            if shown != (shown := max(1, round(left + 0.5))):
                self._here.err.write(f"\r{shown} s … Ctrl-C stops it\x1b[K")
                self._here.err.flush()

        try:
            await self._waits.counted(held, over, tell)
        finally:
            self._here.err.write("\r\x1b[K")
            self._here.err.flush()


def _named(held: Held) -> str:
    return held.what[0] if len(held.what) == 1 else f"{len(held.what)} actions, the first of which is: {held.what[0]}"

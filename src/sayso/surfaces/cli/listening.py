"""Show what a model says as it comes, and leave it when the person presses Ctrl-C."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from anyio import wait_readable

from sayso.surfaces.cli.flowing import Flow
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.width import width_of


class Listening:
    """`quiet` keeps the line of progress away while something is shown; `stop` becomes readable at Ctrl-C."""

    def __init__(self, here: Here, quiet: Callable[[], AbstractContextManager[None]], stop: Callable[[], int]) -> None:
        self._here = here
        self._quiet = quiet
        self._stop = stop
        self._flow = Flow(width_of(here) if here.out.isatty() else None)
        self.any = False
        """Whether any words were shown."""

    def shown(self, text: str) -> None:
        """Print more of the words for the person; what could act on the terminal is made visible."""
        if self._here.json or not text:
            return
        self.any = True
        self._print(self._flow.add(text))

    def doing(self, line: str) -> None:
        """Say what a call is doing."""
        self.end()
        with self._quiet():
            self._here.tell(f"… {line}")

    def end(self) -> None:
        """End the line that is open."""
        self._print(self._flow.end())

    async def stopped(self) -> None:
        """Return at Ctrl-C."""
        await wait_readable(self._stop())

    def _print(self, text: str) -> None:
        if text:
            with self._quiet():
                self._here.write(text)
                self._here.out.flush()

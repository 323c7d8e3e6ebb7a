"""What tests of applications stand on: a context for a backend, and a screen for what no real one does on demand."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.ports import BackendContext
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.applications import AppLauncher
from sayso.providers.apps.linux.backend import LinuxAppsBackend
from sayso.providers.apps.linux.screen import SILENT, ScreenSnapshot, ScreenWindow
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock

MONITORS = (Monitor("A", Bounds(0, 0, 1000, 800), main=True),)


def backend_context(home: Path, environ: Mapping[str, str] | None = None, **settings: Json) -> BackendContext:
    """Return the context of a backend in this process's environment, without a folder that file actions may reach."""
    environ = dict(os.environ if environ is None else environ)
    return BackendContext(settings, str(home), str(home / ".sayso"), (), FakeClock(), RandomIds(), environ=environ)


def menu_environment(home: Path, *names: str) -> dict[str, str]:
    """Return an environment whose menus hold only these applications, each of which does nothing."""
    folder = home / "applications"
    folder.mkdir(exist_ok=True)
    for name in names:
        entry = f"[Desktop Entry]\nType=Application\nName={name}\nExec=true\n"
        (folder / f"{name.lower()}.desktop").write_text(entry)
    return {"XDG_DATA_HOME": str(home), "XDG_DATA_DIRS": str(home), "PATH": os.defpath}


def linux_apps(screen: "FakeScreen", home: Path, *names: str, **settings: Any) -> LinuxAppsBackend:
    """Return a backend over a screen and menus that hold only these applications."""
    menu = AppLauncher(menu_environment(home, *names), str(home), (), RandomIds())
    return LinuxAppsBackend(screen, menu, **settings)


class FakeScreen:
    """Windows that obey: `deaf` ones do not close, `stuck` ones do not move, `shy` ones do not come to the front."""

    name = "fake"
    why = "a test made it"
    fix = "make another"

    def __init__(self, *windows: ScreenWindow) -> None:
        self.windows = list(windows)
        self.deaf: set[str] = set()
        self.stuck: set[str] = set()
        self.shy: set[str] = set()
        self.silent_at = ""
        """The deed at which it stops answering."""
        self.beneath: Bounds | None = None
        self.deeds: list[tuple[object, ...]] = []
        self.on_close: Callable[[str], None] = lambda _: None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["FakeScreen"]:
        yield self

    async def look(self) -> ScreenSnapshot:
        self._fall_silent("look")
        return ScreenSnapshot(tuple(self.windows), MONITORS)

    async def active(self, window: str) -> bool:
        return self.windows[0].id == window

    async def front(self, window: str) -> None:
        self._deed("front", window)
        if window not in self.shy:
            self.windows.sort(key=lambda one: one.id != window)

    async def close(self, window: str) -> None:
        self._deed("close", window)
        if window not in self.deaf:
            self.windows = [one for one in self.windows if one.id != window]
            self.on_close(window)

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        self._deed("place", window, to, state, desktop, former)
        if window not in self.stuck:
            self.windows = [
                replace(one, bounds=to, state=state, desktop=desktop or one.desktop) if one.id == window else one
                for one in self.windows
            ]
        return self.beneath

    def _deed(self, *deed: object) -> None:
        self.deeds.append(deed)
        self._fall_silent(deed[0])

    def _fall_silent(self, at: object) -> None:
        if at == self.silent_at:
            raise ProviderError("the screen did not answer", SILENT)

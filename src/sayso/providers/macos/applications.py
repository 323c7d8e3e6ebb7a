"""The applications that are installed on this Mac."""

import os
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from sayso.core.errors import Candidate, ProviderError
from sayso.core.quotes import quoted
from sayso.providers.macos.engine import ScriptEngine

SHARED = ("/Applications", "/System/Applications")


class MacApp(Struct, frozen=True):
    """An installed application: the path of its bundle, its bundle id, and the name that the person sees."""

    path: str
    id: str
    name: str


class InstalledApps:
    """Finds applications in the usual folders; `roots` are the folders in which file actions may write."""

    def __init__(self, engine: ScriptEngine, home: str, roots: Sequence[str] = ()) -> None:
        self._engine = engine
        self._folders = (*SHARED, f"{home}/Applications")
        self._roots = roots

    async def look(self) -> tuple[MacApp, ...]:
        """Return the installed applications, each bundle id once, sorted by name."""
        found = await self._engine.run_script("applications", {"folders": self._folders}, app="macOS")
        apps = msgspec.convert(found, tuple[MacApp, ...])
        once = {app.id or app.path: app for app in reversed(apps)}
        return tuple(sorted(once.values(), key=lambda app: (app.name, app.path)))

    async def find(self, name: str) -> MacApp:
        """Return the only application with exactly this name.

        Raises `ProviderError` if there is none, if there are several, or if file actions could have changed it.
        """
        match [app for app in await self.look() if app.name == name]:
            case []:
                raise ProviderError(f"no application is called {quoted(name)}", "app.unknown")
            case [app]:
                self.require_out_of_reach(app)
                return app
            case several:
                raise ProviderError(
                    f"{len(several)} applications are called {quoted(name)} ({', '.join(app.path for app in several)})",
                    "app.ambiguous",
                    tuple(Candidate(name, where=app.path) for app in several),
                )

    def require_out_of_reach(self, app: MacApp) -> None:
        """Raise `ProviderError` if file actions may write in the application, which could then run anything (AP-01)."""
        path = os.path.realpath(app.path)
        if any(os.path.commonpath((path, root)) == root for root in map(os.path.realpath, self._roots)):
            raise ProviderError(
                f"{app.name} is at {quoted(app.path)}, which file actions may change; open it by hand", "app.reachable"
            )

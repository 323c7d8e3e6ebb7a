"""Open files and show them in Finder, with the program `open`."""

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, OpenFile, RevealFile
from sayso.core.quotes import quoted
from sayso.providers.desktop.backend import require_path
from sayso.providers.macos.applications import InstalledApps
from sayso.providers.programs.run import ProgramCall, ProgramRunner

OPEN = "open"


class MacOpener:
    """Opens files with the application that macOS or the person chose, and shows them in Finder."""

    def __init__(self, runner: ProgramRunner, apps: InstalledApps) -> None:
        self._runner = runner
        self._apps = apps

    async def do(self, step: OpenFile | RevealFile) -> Applied:
        """Open a file with an application, or show it, selected, in Finder."""
        require_path(step.path)
        match step:
            case OpenFile(app=app) if app:
                words = ("-a", (await self._apps.find(app)).path)
            case OpenFile():
                words = ()
            case RevealFile():
                words = ("-R",)
        done = await self._runner.run(ProgramCall(OPEN, words, (step.path,)))
        if done.code:
            raise ProviderError(f"{quoted(step.path)} could not be opened: {quoted(done.complaint)}", "open.failed")
        return Applied()

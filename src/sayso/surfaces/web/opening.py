"""Opens the address of the page in the person's browser."""

import sys

from sayso.assembly import Home
from sayso.core.errors import SaysoError, SetupError
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch

OPENERS = (("xdg-open", ()), ("gio", ("open",)))
OPENERS_OF_MACOS = (("open", ()),)


async def open_in_browser(home: Home, address: str, system: str = sys.platform) -> str:
    """Open an address with what the desktop opens addresses with; return why it could not be opened, or nothing."""
    runner = ProgramRunner(home.settings.environ, home.ids)
    openers = OPENERS_OF_MACOS if system == "darwin" else OPENERS
    try:
        for program, words in openers:
            if runner.find(program):
                await launch(runner, ProgramCall(program, words, (address,), whole=True))
                return ""
        raise SetupError("there is nothing to open it with; install xdg-open (xdg-utils)", "page.open")
    except SaysoError as error:
        return f"the page was not opened: {error}"

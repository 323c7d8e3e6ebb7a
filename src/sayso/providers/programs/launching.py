"""Start a program that stays when sayso ends."""

import sys
from dataclasses import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.programs import detaching
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner


async def launch(runner: Runner, call: Call) -> int:
    """Start a program and return its process number without waiting for its end.

    It has a session of its own, nothing of sayso's open, and is nobody's child. Raises `SetupError` where it is not
    installed, and `ProviderError` where the system does not start it.
    """
    arguments = call.arguments()
    path = runner.find(call.program)
    if path is None:
        raise SetupError(f"{call.program} not found; install it, or see what `sayso doctor` says", "program.missing")
    words = ("-I", "-S", detaching.__file__, path, *arguments)
    helper = replace(call, program=sys.executable, words=words, values=(), silent=False, dashes=False)
    said = (await runner.run(helper)).text
    if not said.isdecimal():
        raise ProviderError(f"{call.name} could not be started: {said}", "program.start")
    return int(said)

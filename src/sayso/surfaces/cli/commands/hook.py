"""`sayso hook`: answer the hooks of coding agents, and set them up."""

import argparse
import os
from functools import partial
from typing import Self

from sayso.assembly import Home
from sayso.core.agent_calls import AgentAnswer
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.surfaces.cli.app import Command, UsageProblem, near
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.hooks.events import AGENTS, LONGEST, HookEvent, answer_json, read_event, unreadable

REFUSED = 2
"""The exit code by which every agent here takes a call as refused, with the standard error as the reason."""
DEEDS = ("install", "uninstall")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "what", metavar=f"{{{'|'.join((*DEEDS, *AGENTS))}}}", help="what to do, or the agent whose event is read"
    )
    parser.add_argument("agent", nargs="?", metavar="AGENT", help="with install and uninstall: the agent")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Answer one event of an agent, or change the agent's settings."""
    if arguments.what in DEEDS:
        if arguments.agent not in AGENTS:
            known = near(arguments.agent or "", AGENTS)
            raise UsageProblem(f"sayso hook {arguments.what} needs the name of an agent{known}")
        return load("sayso.surfaces.cli.hooks.setup:act")(arguments, here)
    if arguments.what not in AGENTS:
        raise UsageProblem(f"there is no agent {quoted(arguments.what)}{near(arguments.what, (*DEEDS, *AGENTS))}")
    if arguments.agent is not None:
        raise UsageProblem(f"sayso hook {arguments.what} takes nothing else; the agent's event is its standard input")
    return _answer(arguments.what, here)


class _RefusesOnError:
    """A `with` block in which whatever goes wrong before a call refuses the call: agents take other codes for a yes."""

    def __init__(self, here: CommandContext) -> None:
        self._here = here
        self.event: HookEvent | None = None
        self.code = int(Exit.FINE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, where: object) -> bool:
        if not isinstance(problem, Exception):
            return False
        why = str(problem) if isinstance(problem, SaysoError) else f"a fault in sayso ({type(problem).__name__})"
        over = self.event is not None and self.event.moment != "before"
        then = "what the agent did is not written down" if over else "the call is refused"
        self._here.tell(f"sayso: {why}; {then}")
        self.code = Exit.FAILED if over else REFUSED
        return True


def _answer(agent: str, here: CommandContext) -> int:
    with _RefusesOnError(here) as trying:
        event = trying.event = read_event(agent, _input(here), here.environ.get("CLAUDE_PROJECT_DIR", ""))
        if event.call is not None or event.moment == "ended":
            answer = in_home(here, partial(_tell, agent, event))
            document = None if answer is None else answer_json(agent, answer)
            if document is not None:
                here.document(document)
    return trying.code


def _input(here: CommandContext) -> bytes:
    if here.stdin is None:
        raise unreadable("standard input is closed")
    if here.stdin.isatty():
        raise unreadable("an agent sends it, not a terminal")
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(here.stdin.fileno(), 1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > LONGEST:
            raise unreadable(f"it is longer than {LONGEST} bytes")
    return b"".join(pieces)


async def _tell(agent: str, event: HookEvent, home: Home) -> AgentAnswer | None:
    if event.moment == "ended":
        await load("sayso.assembly.agent_calls:ended")(home, agent, event.session)
    elif event.moment == "before":
        return await load("sayso.assembly.agent_calls:before")(home, event.call)
    else:
        await load("sayso.assembly.agent_calls:after")(home, event.call, failed=event.moment == "failed")
    return None


COMMAND = Command(
    configure,
    act,
    "sayso hook install claude-code",
    "A coding agent runs this itself before and after its own tools. sayso writes down what the agent does, keeps what "
    "an undo needs, and refuses what no action may touch; it never says yes in your place.",
)

"""Run a handler in a process of its own: what it reads is answered at once, what it requests is collected."""

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct, field

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.normal_forms import normal_form
from sayso.core.operation import Operation
from sayso.core.record import TELLS
from sayso.providers.programs.own_python import script_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner
from sayso.templates import child
from sayso.templates.definition import ActionTemplate
from sayso.templates.protocol import (
    Effect,
    HandlerConfined,
    HandlerFailed,
    HandlerRequest,
    HandlerResult,
    HandlerReturned,
    HandlerSays,
    HandlerTried,
    Message,
    count_values,
    mentions,
    read_message,
    read_result,
    size_in_memory,
)

LONGEST = 60
STARTER = '''"""Make a reminder to call somebody; write here what your own action does."""

from datetime import date, timedelta

# “config” is read without running this file, so it is written out as plain values.
config = {
    # What the action is called by.
    "id": "@ID@",
    "name": "@NAME@",
    # What you are told of it, and a language model that may offer it to you.
    "description": "An example: makes a reminder to call somebody.",
    "parameterSchema": {
        "type": "object",
        # A type is string, number, integer, boolean, array or object; “enum” and “default” may stand beside it.
        "properties": {
            "whom": {"type": "string", "description": "Whom to call, such as “Ana”."},
            "day": {"type": "string", "description": "On which day, such as “2030-01-01”; left out, tomorrow."},
        },
        "required": ["whom"],
    },
}


async def handler(params, context):
    """Say what is to be done; nothing is done before all of it was shown to you."""
    # What looks answers at once, in the world as it is now:
    #     found = await context.email_api.search_with_gmail_query("from:ana newer_than:7d")
    # Everything else is collected, shown to you as one plan, and done when you say so:
    #     await context.archive_email(found[0].message_id)
    #     await context.send_email(to="ana@example.org", subject="Hello", body="How are you?")
    day = params.get("day") or date.today() + timedelta(days=1)
    await context.create_reminder(f"Call {params['whom']}", due=f"{day} 10:00")
    return {"success": True, "message": f"You will be reminded to call {params['whom']}"}
'''


class NewAction(Struct, frozen=True):
    """A new action: its file and its id."""

    file: Path
    id: str


def create_action(folder: Path, name: str) -> NewAction:
    """Write the file of a new action. Raises `SetupError` if the name cannot be used or the file exists."""
    return write_action(folder, name, STARTER)


def write_action(folder: Path, name: str, text: str) -> NewAction:
    """Write a new action whose text has `@ID@` and `@NAME@` where its id and name belong. Raises `SetupError`."""
    words = _words(name)
    id_ = "_".join(words)
    file = folder / f"{'-'.join(words)}.py"
    text = text.replace("@ID@", id_, 1).replace("@NAME@", " ".join(words).capitalize(), 1)
    try:
        for place in (*reversed(folder.parents), folder):
            with suppress(FileExistsError):
                place.mkdir(0o700)
        # Only a new file is created; an existing file or link stays as it is.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"{file} is there already; choose another name, or edit it", "template.exists") from None
    except OSError as error:
        raise SetupError(f"{file} could not be written: {error.strerror}", "template.unwritten") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text)
    return NewAction(file, id_)


def _words(name: str) -> list[str]:
    """Return the words of a name, reduced to what an id may contain. Raises `SetupError`."""
    plain = normal_form(name.casefold(), "NFKD").encode("ascii", "ignore").decode("ascii")
    words = re.findall(r"[a-z0-9]+", plain)
    if not words or len(name) > LONGEST:
        raise SetupError(
            f"“{name[:LONGEST]}” can be no action's name: a few words of letters and digits, such as remind-to-call",
            "template.name",
        )
    return words


SECONDS = 30.0
MEMORY = 512 * 2**20
MOST_PRINTED = 64 * 2**10
MOST_BYTES = 2**20
MOST_CALLS = 10_000
MOST_VALUES = 200_000
MOST_SAID = 1000
MOST_LINE = 4000
NEEDS_REPLY = frozenset({"agent.call", "net.fetch"})
"""Operations that are asked about and done at once, because the handler needs their reply."""
NOT_FROM_A_HANDLER = frozenset({"template.run"})
AFTER = "⟨known once effect "
LATER = AFTER + "{} is done⟩"


class HandlerLimits(Struct, frozen=True):
    """Limits on one run of a handler."""

    seconds: float = SECONDS
    memory: int = MEMORY
    bytes: int = MOST_BYTES
    """How much memory all of its messages may take up together, as texts."""
    values: int = MOST_VALUES
    """How many values all of its messages may have together: even `[],[],[]` takes up much more here than it is long.
    """
    calls: int = MOST_CALLS


class HandlerServices(Struct, frozen=True):
    """What a run of a handler needs from sayso."""

    runner: ProgramRunner
    operations: Mapping[str, Operation]
    answer: Callable[[str, Mapping[str, Json]], Awaitable[Mapping[str, Json]]]
    """Runs an operation that reads or whose reply the handler needs, through the engine. Raises `SaysoError`."""
    serves: Callable[[str], bool] = field(default=lambda operation: True)
    """Says whether an operation is available on this machine."""
    bounds: HandlerLimits = field(default_factory=HandlerLimits)
    waived: Callable[[Sequence[str]], bool] = field(default=lambda possible: False)
    """Says whether a handler runs although it could do these things without sayso; asked only if there are any."""


class HandlerLine(Struct, frozen=True):
    """A line that the handler wrote to the record of its run, or would have shown to the person."""

    level: str
    """Its kind: info, warn or error for a line; info, success, warning or error for a notification."""
    text: str


class HandlerRun(Struct, frozen=True):
    """How a handler ended: its result or an error, and everything that it requested, in order."""

    result: HandlerResult | None
    error: str | None
    effects: tuple[Effect, ...] = ()
    said: tuple[HandlerLine, ...] = ()
    printed: str = ""


async def run_handler(
    template: ActionTemplate, params: Mapping[str, Json], session: str, services: HandlerServices
) -> HandlerRun:
    """Run the handler of an action once. Its requests are returned, and not carried out."""
    talk = HandlerTalk(template, params, session, services)
    try:
        ended = await services.runner.run(_call(services.bounds.seconds), talk)
    except ProviderError as error:
        late = f"it did not end within {services.bounds.seconds:g} seconds and was stopped"
        return talk.end(late if error.code == "program.timeout" else str(error))
    return talk.end(None, _join_output(ended.output, ended.errors))


def _call(seconds: float) -> ProgramCall:
    python, *words = script_command(str(Path(child.__file__).with_name("main.py")))
    return ProgramCall(python, tuple(words), seconds=seconds, most=MOST_PRINTED, kept=True, bare=True)


class ContainmentTalk:
    """Asks the process of a handler what a handler could still do in it, and ends it without one."""

    most = MOST_PRINTED

    def __init__(self) -> None:
        self.found: tuple[str, ...] | None = None
        """What a handler could do; None if the process did not say it."""

    async def begin(self) -> bytes:
        """Return what the process needs to confine itself."""
        return _line({"memory": MEMORY})

    async def answer(self, message: bytes | None) -> None:
        """Read the one message that the process sends before it has a handler."""
        read = None if message is None else read_message(message)
        self.found = tuple(read.possible) if isinstance(read, HandlerConfined) else None


async def find_possible(runner: ProgramRunner) -> tuple[str, ...]:
    """Return what a handler could do on this computer without sayso; empty if the kernel refuses all of it."""
    talk = ContainmentTalk()
    with suppress(ProviderError):
        await runner.run(_call(SECONDS), talk)
    return (_UNPROVEN,) if talk.found is None else talk.found


_UNPROVEN = "do anything (its process ended before it could prove otherwise)"


class HandlerTalk:
    """sayso's side of the exchange of messages with one handler."""

    def __init__(
        self, template: ActionTemplate, params: Mapping[str, Json], session: str, services: HandlerServices
    ) -> None:
        self._template = template
        self._params = params
        self._session = session
        self._services = services
        self._calls = 0
        self._confined = False
        self._effects: list[Effect] = []
        self._said: list[HandlerLine] = []
        self._result: HandlerResult | None = None
        self._error: str | None = None
        self.most = services.bounds.bytes
        """The bytes that the handler may still send."""
        self._values = 0

    async def begin(self) -> bytes:
        """Return what the process needs to confine itself; it gets the handler's code only after it has said how."""
        return _line({"memory": self._services.bounds.memory})

    def _handler(self) -> bytes:
        """Return everything that the process needs, so that it need not open any of the person's files."""
        template = self._template
        return _line(
            {
                "source": template.source,
                "file": template.file,
                "name": template.name,
                "helpers": dict(template.helpers),
                "params": dict(self._params),
                "session": self._session,
            }
        )

    async def answer(self, message: bytes | None) -> bytes | None:
        """Answer one message; None ends the exchange.

        Before it is read, it is counted: nothing that a handler sends makes this process grow without bound.
        """
        if message is not None and not self._within_budget(message):
            return None
        read = None if message is None else read_message(message)
        if read is None:
            self._error = _BROKE if message is None else _GARBAGE
            return None
        return await self._answer(read)

    def _within_budget(self, message: bytes) -> bool:
        bounds = self._services.bounds
        self.most -= size_in_memory(message) + 1
        self._values += count_values(message)
        if self._values > bounds.values:
            self._error = f"what it sent had more than {bounds.values:,} values, the most in one run"
        elif self.most < 0:
            self._error = _BROKE
        return self._error is None

    async def _answer(self, message: Message) -> bytes | None:
        if isinstance(message, HandlerConfined) is self._confined:
            self._error = _GARBAGE
            return None
        match message:
            case HandlerConfined(possible):
                self._confined = True
                if not possible or self._services.waived(possible):
                    return self._handler()
                self._error = explain_uncontained(possible)
            case HandlerRequest(operation, arguments):
                return await self._run_request(operation, arguments)
            case HandlerSays(text, level):
                self._keep_line(level, text)
                return b""
            case HandlerTried(what):
                self._error = f"it tried to {what[:100]}, which no action of your own can"
            case HandlerFailed(why):
                self._error = why[:MOST_LINE]
            case HandlerReturned(result):
                read = read_result(result)
                self._result, self._error = (None, read) if isinstance(read, str) else (read, None)
        return None

    async def _run_request(self, id_: str, arguments: Mapping[str, Json]) -> bytes | None:
        self._calls += 1
        if self._calls > self._services.bounds.calls:
            self._error = f"it asked for more than {self._services.bounds.calls:,} things"
            return None
        operation = self._services.operations.get(id_)
        if operation is None or id_ in NOT_FROM_A_HANDLER:
            return _line({"wrong": f"there is no operation “{id_[:100]}” that an action could ask for"})
        if not self._template.may_ask_for(id_):
            return _line({"wrong": f"“capabilities” in its config does not name {id_}"})
        clean, problems = operation.check(arguments)
        if problems:
            return _line({"wrong": "; ".join(problem.sentence for problem in problems)})
        if mentions(clean, AFTER):
            return _line({"wrong": "what an effect leaves is known only once it is done; no other call can use it"})
        if operation.kind == "read" or id_ in NEEDS_REPLY:
            return await self._answer_request(id_, clean)
        if id_ in TELLS and not self._services.serves(id_):
            return self._keep_line(str(clean.get("type") or clean.get("level") or "info"), str(clean[TELLS[id_]]))
        self._effects.append(Effect(id_, clean, (self._calls,)))
        return _line({"gives": {"id": LATER.format(self._calls)}})

    def _keep_line(self, level: str, text: str) -> bytes:
        """Add a line to the record of the run, and return the reply."""
        if len(self._said) < MOST_SAID:
            self._said.append(HandlerLine(level, text[:MOST_LINE]))
        return _line({"gives": {"id": ""}})

    async def _answer_request(self, id_: str, arguments: Mapping[str, Json]) -> bytes:
        try:
            return _line({"gives": cast("Json", dict(await self._services.answer(id_, arguments)))})
        except SaysoError as error:
            return _line({"wrong": str(error)})

    def end(self, why: str | None, printed: str = "") -> HandlerRun:
        """Return how the handler ended; its requests count only if it succeeded."""
        error = why or self._error or (_BROKE if self._result is None else None)
        good = self._result if error is None else None
        # What is told comes last: it is told only if everything before it was done.
        asked = sorted(self._effects, key=lambda effect: effect.operation in TELLS)
        effects = tuple(asked) if good is not None and good.success else ()
        return HandlerRun(good, error, effects, tuple(self._said), printed)


UNCONTAINED = "actions.allow_uncontained"


def explain_uncontained(possible: Sequence[str]) -> str:
    """Return one sentence: what a handler could do here, and what the person can do about it."""
    return (
        f"its handler was not run, because nothing on this computer stops it if it wants to {', '.join(possible)}; "
        f"if you trust all of your actions, run: sayso config set {UNCONTAINED} true"
    )


def explain_waived(possible: Sequence[str]) -> str:
    """Return what the questions about an action say whose handler ran although it could do these things."""
    return f"This action's handler ran uncontained ({UNCONTAINED}): it was able to {', '.join(possible)}"


_BROKE = "its process ended without a result, or its messages were longer than they may be together"
_GARBAGE = "its process sent something that is not a message to sayso"


def _line(value: Mapping[str, Json]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _join_output(output: bytes, errors: bytes) -> str:
    return (output + errors).decode("utf-8", "replace")

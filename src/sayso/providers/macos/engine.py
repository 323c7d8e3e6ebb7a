"""Run AppleScript and JavaScript through `osascript`, with data that is never part of a script."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError
from sayso.core.ports import BackendContext
from sayso.providers.macos.errors import TIMED_OUT, ScriptFailure, explain_failure
from sayso.providers.programs.run import SECONDS, ProgramCall, ProgramResult, ProgramRunner

OSASCRIPT = "osascript"
SCRIPTS = Path(__file__).with_name("scripts")
COMMON = "common"
IN_ARGUMENT = 4096
"""The most bytes of data that are given as an argument; more are written to a private file."""
_NUMBER = re.compile(r"\((-?\d{1,9})\)\s*\Z")


class ScriptResult(Struct, frozen=True):
    """How a script ended (S1-08): its output without trailing newlines, or its error."""

    success: bool
    output: str = ""
    error: str = ""


class _Reply(msgspec.Struct, frozen=True):
    """What `common.js` returns: the value of `main`, or the number and message of its error."""

    done: Json = None
    failed: int | None = None
    says: str = ""
    begun: bool = False


@cache
def script_text(name: str, scripts: Path = SCRIPTS) -> str:
    """Return the text of one of sayso's own scripts, by the name of its file without the ending."""
    return (scripts / f"{name}.js").read_bytes().decode()


def build_engine(context: BackendContext, seconds: float = SECONDS, scripts: Path = SCRIPTS) -> "ScriptEngine":
    """Return the engine for the back ends of one home."""
    runner = ProgramRunner(context.environ, context.ids)
    return ScriptEngine(runner, str(Path(context.own) / "tmp"), context.ids.token, seconds, scripts)


class ScriptEngine:
    """Runs scripts with `osascript`, each in a process group of its own and for at most `seconds`.

    `folder` is a private folder for files with data that is too large for an argument, and `scripts` contains sayso's
    own scripts.
    """

    def __init__(
        self,
        runner: ProgramRunner,
        folder: str,
        token: Callable[[], str],
        seconds: float = SECONDS,
        scripts: Path = SCRIPTS,
    ) -> None:
        self._runner = runner
        self._folder = folder
        self._token = token
        self._seconds = seconds
        self._scripts = scripts

    async def run_applescript(self, script: str) -> ScriptResult:
        """Run an AppleScript and return how it ended; never raises for a failure (S1-06)."""
        return await self._try(("-e", script))

    async def run_jxa(self, script: str) -> ScriptResult:
        """Run a script in JavaScript for Automation and return how it ended; never raises for a failure (S1-07)."""
        return await self._try(("-l", "JavaScript", "-e", script))

    async def run_script(self, name: str, data: Json, *, app: str, changes: bool = False, seconds: float = 0) -> Json:
        """Run one of sayso's own scripts with this data, and return its value.

        `app` is the application that the script controls, as the person knows it. `changes` says that the script may
        change something. Raises `SetupError` if a permission or `osascript` is missing, `ProviderError` if nothing was
        changed, and `Uncertain` if something may have been.
        """
        try:
            result = await self._runner.run(self._call(name, data, seconds or self._seconds))
        except ProviderError as error:
            if error.code != "program.timeout":
                raise
            raise explain_failure(ScriptFailure(TIMED_OUT, str(error), begun=changes), app) from error
        reply = _read_reply(result, changes=changes)
        if isinstance(reply, ScriptFailure):
            raise explain_failure(reply, app)
        return reply.done

    async def _try(self, words: tuple[str, ...]) -> ScriptResult:
        try:
            result = await self._runner.run(ProgramCall(OSASCRIPT, words, seconds=self._seconds))
        except SaysoError as error:
            return ScriptResult(success=False, error=self._describe(error))
        except OSError as error:
            return ScriptResult(success=False, error=f"{OSASCRIPT} could not be run: {error}")
        if result.code:
            return ScriptResult(success=False, output=result.text, error=result.complaint)
        return ScriptResult(success=True, output=result.text)

    def _describe(self, error: SaysoError) -> str:
        if error.code == "program.timeout":
            return f"the script timed out: it did not end within {self._seconds:g} seconds and was stopped"
        return f"{OSASCRIPT} not found; it is part of macOS" if error.code == "program.missing" else str(error)

    def _call(self, name: str, data: Json, seconds: float) -> ProgramCall:
        words = ("-l", "JavaScript", "-e", script_text(COMMON), "-e", script_text(name, self._scripts))
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        if len(text) <= IN_ARGUMENT:
            return ProgramCall(OSASCRIPT, words, (text,), dashes=True, seconds=seconds)
        Path(self._folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        file = str(Path(self._folder) / f"script-{self._token()}.json")
        values = ("file", file)
        return ProgramCall(
            OSASCRIPT, words, values, dashes=True, seconds=seconds, kept=True, file=file, filed=text.encode("ascii")
        )


def _read_reply(result: ProgramResult, *, changes: bool) -> _Reply | ScriptFailure:
    """Return what a script returned, or its error; one that `common.js` did not catch may have come after a change."""
    if result.code:
        found = _NUMBER.search(result.errors.decode("utf-8", "replace"))
        return ScriptFailure(int(found[1]) if found else None, result.complaint, begun=changes)
    try:
        reply = msgspec.json.decode(result.output, type=_Reply)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return ScriptFailure(None, "what the script returned cannot be read", begun=changes)
    return reply if reply.failed is None else ScriptFailure(reply.failed, reply.says, begun=reply.begun)

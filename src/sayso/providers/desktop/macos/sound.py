"""Speech with `say`, in a process that can be stopped, and the volume of the output."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import anyio
import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, Settlement
from sayso.providers.desktop.model import OUTPUT, OutputVolume, SetVolume, Speak, SpeechRunning, StopSpeaking
from sayso.providers.desktop.store import VolumeLevel
from sayso.providers.macos.engine import ScriptEngine
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch

SAY = "say"
LOOKS, LOOK_EVERY = 100, 0.02
ROUNDING = 2
"""How far the output may be from the level that was set; it has fewer steps than a hundred."""


class MacSound:
    """The volume of the output in use."""

    def __init__(self, engine: ScriptEngine) -> None:
        self._engine = engine

    async def level(self) -> VolumeLevel:
        """Return the volume, with the fact about it. Raises `SetupError` if the output has no volume of its own."""
        fact = await self._run({}, changes=False)
        return VolumeLevel(fact.level, fact, fact.muted)

    async def set(self, step: SetVolume) -> Applied:
        """Set the volume and read it back. Raises `ProviderError` if it differs."""
        fact = await self._run({"level": step.level, "muted": step.muted}, changes=True)
        if abs(fact.level - step.level) > ROUNDING or fact.muted != step.muted:
            raise ProviderError(f"the volume stayed at {fact.level} instead of {step.level}", "sound.unchanged")
        return Applied((OutputVolume(OUTPUT, fact.level, fact.muted),))

    async def _run(self, data: dict[str, object], *, changes: bool) -> OutputVolume:
        found = await self._engine.run_script("volume", data, app="the volume", changes=changes)
        now = msgspec.convert(found, _Volume)
        if now.level is None:
            raise SetupError(
                "this output has no volume that macOS can set, as is usual for HDMI; set it at the device",
                "sound.output",
            )
        return OutputVolume(OUTPUT, now.level, now.muted)


class _Volume(Struct, frozen=True):
    level: int | None
    muted: bool


class MacSpeech:
    """Speaks with `say`; a private file for each text says which process speaks it."""

    def __init__(self, runner: ProgramRunner, own: str) -> None:
        self._runner = runner
        self._folder = Path(own) / "speaking"

    async def do(self, step: Speak | StopSpeaking) -> Applied:
        """Begin to speak and return without waiting, or stop speaking."""
        match step:
            case Speak(text, token):
                return await self._say(text, token)
            case StopSpeaking(token):
                return await self._stop(token)

    async def is_speaking(self, token: str) -> bool:
        """Return whether the text of this token is being spoken."""
        return await self._process(token) is not None

    async def settle(self, token: str) -> Settlement:
        """Return `Applied` if the text is being spoken, else `CannotTell`: the speech may have ended already."""
        if await self.is_speaking(token):
            return Applied((SpeechRunning(token),))
        return CannotTell("nothing is being said now, and there is no record of whether it was")

    async def _say(self, text: str, token: str) -> Applied:
        # The text is standard input, so that none can be taken for an option.
        pid = await launch(self._runner, ProgramCall(SAY, data=text.encode("utf-8", "replace") + b"\n"))
        started = await self._started(pid)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self._folder.iterdir():
            if not await self.is_speaking(file.name):
                file.unlink(missing_ok=True)
        self._file(token).write_text(f"{pid} {started}", encoding="utf-8")
        return Applied((SpeechRunning(token),))

    async def _stop(self, token: str) -> Applied:
        process = await self._process(token)
        if process is not None:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
            for _ in range(LOOKS):
                if not await self.is_speaking(token):
                    break
                await anyio.sleep(LOOK_EVERY)
        self._file(token).unlink(missing_ok=True)
        return Applied()

    async def _process(self, token: str) -> int | None:
        """Return the process that speaks this text; the time of its start says that the id is not another's by now."""
        try:
            pid, _, started = self._file(token).read_text(encoding="utf-8").partition(" ")
        except FileNotFoundError:
            return None
        return int(pid) if started and await self._started(int(pid)) == started else None

    async def _started(self, pid: int) -> str:
        """Return when a process was started; empty if it has ended."""
        call = ProgramCall("ps", ("-o", "stat=", "-o", "lstart=", "-p", str(pid)), also={"LC_ALL": "C"})
        state, _, started = (await self._runner.run(call)).text.strip().partition(" ")
        return "" if state.startswith("Z") else " ".join(started.split())

    def _file(self, token: str) -> Path:
        if not token.isascii() or not token.isalnum():
            raise ProviderError("nothing of this is being said", "speech.unknown")
        return self._folder / token

"""Speech in a process that can be stopped, and the volume of the sound output."""

import re

from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, Settlement
from sayso.providers.desktop.model import OutputVolume, SetVolume, Speak, SpeechRunning, StopSpeaking
from sayso.providers.desktop.store import VolumeLevel
from sayso.providers.programs.run import ProgramCall, ProgramRunner, end_marked_processes, launch, marked_processes

MARK = "SAYSO_SPEAKS"
"""The environment variable in which a speaking process has the token of its text."""
NO_VOICE = "there is nothing to speak with; install espeak-ng, or speech-dispatcher with a voice"

_COMMAND = re.compile("!(?=-!)")


class SpeechProgram(Struct, frozen=True):
    """A program that speaks the text from its standard input and then ends."""

    program: str
    words: tuple[str, ...]
    hush: tuple[str, ...] = ()
    """The arguments that make the speech server drop one message (one line); empty for a program without a server."""


ESPEAK = SpeechProgram("espeak-ng", ("--stdin",))
DISPATCHER = SpeechProgram("spd-say", ("--wait", "--pipe-mode", "--application-name", "sayso"), ("-S",))
SPEAKERS = {"espeak-ng": ESPEAK, "speech-dispatcher": DISPATCHER}


class Speech:
    """Speaks with the program `chosen`, or else with the first one that is installed."""

    def __init__(self, runner: ProgramRunner, chosen: str = "auto") -> None:
        self._runner = runner
        self._chosen = chosen

    def speaker(self) -> SpeechProgram:
        """Return the program that speaks. Raises `SetupError` when none is installed."""
        wanted = [SPEAKERS[self._chosen]] if self._chosen in SPEAKERS else list(SPEAKERS.values())
        for speaker in wanted:
            if self._runner.find(speaker.program):
                return speaker
        raise SetupError(NO_VOICE, "speech.missing")

    async def do(self, step: Speak | StopSpeaking) -> Applied:
        """Begin to speak and return without waiting, or stop speaking."""
        match step:
            case Speak(text, token):
                return await self._say(text, token)
            case StopSpeaking(token):
                return await self._stop(token)

    async def _say(self, text: str, token: str) -> Applied:
        speaker = self.speaker()
        # The server treats a line that begins with “!-!” as a command, so no line of the text may begin like that.
        said = _COMMAND.sub("! ", " ".join(text.split())) if speaker.hush else text
        data = said.encode("utf-8", "replace") + b"\n"
        await launch(self._runner, ProgramCall(speaker.program, speaker.words, data=data, also={MARK: token}))
        return Applied((SpeechRunning(token),))

    async def _stop(self, token: str) -> Applied:
        speaker = self.speaker()
        await end_marked_processes(MARK, token)
        if speaker.hush:
            await self._runner.run(ProgramCall(speaker.program, speaker.hush, silent=True))
        return Applied()

    def is_speaking(self, token: str) -> bool:
        """Return whether the text of this token is being spoken."""
        return bool(marked_processes(MARK, token))

    def settle(self, token: str) -> Settlement:
        """Return `Applied` if the text is being spoken, else `CannotTell`: the speech may have ended already."""
        if self.is_speaking(token):
            return Applied((SpeechRunning(token),))
        return CannotTell("nothing is being said now, and there is no record of whether it was")


FULL = 65536
"""The number that the sound server uses for 100 per cent."""
SECONDS = 10.0
NO_SERVER = "no sound server answers; start pipewire-pulse or pulseaudio (systemctl --user start pipewire-pulse)"
NONE_CHOSEN = "@DEFAULT_SINK@"
"""The name that PipeWire reports when there is no output, or no session manager connects one."""
_CHANNEL = re.compile(r":\s*(\d+)\s*/\s*\d+%")
_ROUNDING_PERCENT = 1


class SoundOutput(Struct, frozen=True):
    """The output in use: its name, the volume of each channel, and whether it is muted."""

    name: str
    channels: tuple[int, ...]
    muted: bool

    @property
    def level(self) -> int:
        """Return the level of the loudest channel, 0 to 100, or more when the output is amplified."""
        return round(max(self.channels) * 100 / FULL)

    @property
    def fact(self) -> OutputVolume:
        """Return the fact about this volume."""
        return OutputVolume(self.name, self.level, self.muted, self.channels)

    def channels_for(self, step: SetVolume) -> tuple[int, ...]:
        """Return the volume that a step gives each channel.

        It is the volume in the step, or the step's level with the present balance.
        """
        if len(step.channels) == len(self.channels):
            return step.channels
        return self.channels_at(step.level)

    def is_close_to(self, wanted: tuple[int, ...]) -> bool:
        """Return whether each channel has the wanted volume, apart from rounding by the output."""
        if len(wanted) != len(self.channels):
            return False
        pairs = zip(self.channels, wanted, strict=True)
        return all(abs(channel - other) <= _ROUNDING_PERCENT * FULL / 100 for channel, other in pairs)

    def channels_at(self, level: int) -> tuple[int, ...]:
        """Return the volumes of the channels at another level, with the same balance."""
        loudest = max(self.channels)
        wanted = round(level * FULL / 100)
        return tuple(round(channel * wanted / loudest) if loudest else wanted for channel in self.channels)


class SoundServer:
    """Reads and sets the volume of the output in use (`pactl`)."""

    def __init__(self, runner: ProgramRunner, seconds: float = SECONDS) -> None:
        self._runner = runner
        self._seconds = seconds

    async def output(self) -> SoundOutput:
        """Return the output in use. Raises `SetupError` when no sound server answers or there is no output."""
        name = await self._run_tool("get-default-sink")
        if name == NONE_CHOSEN:
            raise SetupError(
                "the sound server has no output now; plug one in, or start wireplumber (systemctl --user start "
                "wireplumber)",
                "sound.output",
            )
        volume = await self._run_tool("get-sink-volume", name)
        channels = tuple(int(number) for number in _CHANNEL.findall(volume))
        if not channels:
            raise ProviderError(f"the sound server does not tell the volume of {name}", "sound.unreadable")
        return SoundOutput(name, channels, (await self._run_tool("get-sink-mute", name)).endswith("yes"))

    async def level(self) -> VolumeLevel:
        """Return the level of the output, with the fact about it."""
        now = await self.output()
        return VolumeLevel(now.level, now.fact, now.muted, now.channels)

    async def set(self, step: SetVolume) -> Applied:
        """Set the volume and read it back. Raises `ProviderError` if it differs."""
        now = await self.output()
        wanted = now.channels_for(step)
        await self._run_tool("set-sink-volume", now.name, *map(str, wanted))
        await self._run_tool("set-sink-mute", now.name, "1" if step.muted else "0")
        then = await self.output()
        if not then.is_close_to(wanted) or then.muted != step.muted:
            raise ProviderError(f"{then.name} stayed at {then.level} instead of {step.level}", "sound.unchanged")
        return Applied((then.fact,))

    async def _run_tool(self, word: str, *values: str) -> str:
        call = ProgramCall("pactl", (word,), values, seconds=self._seconds, also={"LC_ALL": "C"})
        try:
            done = await self._runner.run(call)
        except SetupError:
            raise SetupError("pactl not found; install pulseaudio-utils to set the volume", "sound.missing") from None
        if done.code:
            if "onnection" in done.complaint:
                raise SetupError(NO_SERVER, "sound.missing")
            raise ProviderError(f"the sound server refused: {done.complaint}", "sound.refused")
        return done.text.strip()

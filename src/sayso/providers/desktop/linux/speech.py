"""Speak aloud in a process of its own, which can be found again and stopped as long as it speaks."""

import re

from sayso.core.errors import SetupError
from sayso.core.plan import CannotTell, Left, Settled
from sayso.core.values import dataclass
from sayso.providers.desktop.model import Say, Speaking, StopSpeaking
from sayso.providers.programs.run import Call, Runner, carriers, end_carriers, launch

MARK = "SAYSO_SPEAKS"
"""What the speaking process carries in its environment: the token of what is said."""
NO_VOICE = "there is nothing to speak with; install espeak-ng, or speech-dispatcher with a voice"


_COMMAND = re.compile("!(?=-!)")


@dataclass(frozen=True)
class Speaker:
    """A program that speaks what it reads and ends when it has said it."""

    program: str
    words: tuple[str, ...]
    hushes: tuple[str, ...] = ()
    """The words that hush the server behind it, where there is one. They end one message, and each line is one."""


ESPEAK = Speaker("espeak-ng", ("--stdin",))
DISPATCHER = Speaker("spd-say", ("--wait", "--pipe-mode", "--application-name", "sayso"), ("-S",))
SPEAKERS = {"espeak-ng": ESPEAK, "speech-dispatcher": DISPATCHER}


class Voice:
    """What speaks; `chosen` names one of the two, else the first that is there."""

    def __init__(self, runner: Runner, chosen: str = "auto") -> None:
        self._runner = runner
        self._chosen = chosen

    def speaker(self) -> Speaker:
        """Return what speaks here. Raises `SetupError` where nothing does."""
        wanted = [SPEAKERS[self._chosen]] if self._chosen in SPEAKERS else list(SPEAKERS.values())
        for speaker in wanted:
            if self._runner.find(speaker.program):
                return speaker
        raise SetupError(NO_VOICE, "speech.missing")

    async def do(self, step: Say | StopSpeaking) -> Left:
        """Begin to speak, and return while it goes on; or stop."""
        match step:
            case Say(text, token):
                return await self._say(text, token)
            case StopSpeaking(token):
                return await self._stop(token)

    async def _say(self, text: str, token: str) -> Left:
        speaker = self.speaker()
        # To the server a line that begins with “!-!” is a command; no piece of what is said may be one.
        said = _COMMAND.sub("! ", " ".join(text.split())) if speaker.hushes else text
        data = said.encode("utf-8", "replace") + b"\n"
        await launch(self._runner, Call(speaker.program, speaker.words, data=data, also={MARK: token}))
        return Left((Speaking(token),))

    async def _stop(self, token: str) -> Left:
        speaker = self.speaker()
        await end_carriers(MARK, token)
        if speaker.hushes:
            await self._runner.run(Call(speaker.program, speaker.hushes, silent=True))
        return Left()

    def speaks(self, token: str) -> bool:
        """Say whether this is being said."""
        return bool(carriers(MARK, token))

    def settle(self, token: str) -> Settled:
        """Say what became of it: what speaks was begun, what does not may have ended."""
        if self.speaks(token):
            return Left((Speaking(token),))
        return CannotTell("nothing is being said any more, and nobody remembers whether it was")

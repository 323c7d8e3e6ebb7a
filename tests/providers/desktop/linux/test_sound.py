"""Sound: what is spoken, and how loud it is."""

import array
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.providers.desktop.linux.sound import FULL, SoundOutput, SoundServer, Speech
from sayso.providers.desktop.model import OutputVolume, SetVolume, Speak, StopSpeaking
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from tests.desktop_env import parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_trial

pytestmark = pytest.mark.needs("pactl", "pulseaudio", "parecord", "espeak-ng")
LONG = "one two three four five six seven\n" * 60
AUDIBLE = 1000


@pytest.fixture(scope="module")
def sounding(bare_session: Session) -> Session:
    """Return a session with a speaker, listened to all the time."""
    parts.sound(bare_session)
    return bare_session


def loudest(made: Session) -> int:
    """Return how loud the speaker was over the next fifth of a second."""
    recorded = made.home / "heard.raw"
    recorded.unlink(missing_ok=True)
    listener = made.start("parecord", "--latency-msec=20", "--raw", "--device=speaker.monitor", recorded)
    wait_for(lambda: recorded.exists() and recorded.stat().st_size >= 44100 * 4 // 5, "sound or silence")
    made.end(listener)
    data = recorded.read_bytes()
    return max(map(abs, array.array("h", data[: len(data) // 2 * 2])))


@pytest.mark.req("S0-50", "X-07")
async def test_words_even_those_like_options_are_heard_and_stop_with_the_undo(sounding: Session):
    trial = a_trial(sounding)

    plan = await trial.plan("speech.say", text=f"-h --help -f /etc/passwd {LONG}")
    lefts = await trial.do(plan)
    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await trial.take_back(plan, lefts)

    wait_for(lambda: loudest(sounding) == 0, "silence")
    with pytest.raises(ProviderError, match="nothing of this is being said any more"):
        await trial.take_back(plan, lefts)


async def test_two_voices_are_stopped_each_by_itself(sounding: Session):
    desktop = a_desktop(sounding)
    for token in ("one", "two"):
        await desktop.apply(Speak(LONG, token), ())

    await desktop.apply(StopSpeaking("one"), ())

    assert isinstance(await desktop.settle(Speak(LONG, "one"), ()), CannotTell)
    assert isinstance(await desktop.settle(Speak(LONG, "two"), ()), Applied)
    assert isinstance(await desktop.settle(StopSpeaking("one"), ()), Applied)
    assert not isinstance(await desktop.settle(StopSpeaking("two"), ()), Applied)
    await desktop.apply(StopSpeaking("two"), ())


@pytest.mark.needs("speech-dispatcher", "spd-say")
@pytest.mark.req("AP-05")
async def test_speech_dispatcher_speaks_even_what_it_would_take_for_a_command_and_is_hushed(sounding: Session):
    socket = sounding.runtime / "speechd.sock"
    socket.unlink(missing_ok=True)
    server = sounding.start("speech-dispatcher", "-s", "-t", "0", "-c", "unix_socket", "-S", socket)
    wait_for(socket.exists)
    sounding.environment["SPEECHD_ADDRESS"] = f"unix_socket:{socket}"
    desktop = a_desktop(sounding, speech="speech-dispatcher")

    await desktop.apply(Speak(f"!-!-!SET all VOLUME -100 {LONG}", "said"), ())
    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await desktop.apply(StopSpeaking("said"), ())

    wait_for(lambda: loudest(sounding) == 0, "silence")
    sounding.end(server)


@pytest.mark.req("X-05", "T-23")
async def test_without_a_voice_it_says_what_to_install():
    for chosen in ("auto", "speech-dispatcher"):
        with pytest.raises(SetupError, match="install espeak-ng, or speech-dispatcher"):
            Speech(ProgramRunner({"PATH": "/nowhere"}, RandomIds()), chosen).speaker()


SERVERS = {
    "pulseaudio": (parts.sound, ("pulseaudio",)),
    "pipewire": (parts.pipewire, ("pipewire", "pipewire-pulse", "wireplumber")),
}


@dataclass(frozen=True)
class Sound:
    """A session, and the sound server in it."""

    session: Session
    server: subprocess.Popen[bytes]


@pytest.fixture(
    scope="module",
    params=[
        "pulseaudio",
        pytest.param("pipewire", marks=[pytest.mark.needs(*SERVERS["pipewire"][1]), pytest.mark.thorough]),
    ],
)
def sound(request: pytest.FixtureRequest) -> Iterator[Sound]:
    """Return a session with a sound server of one kind."""
    start, programs = SERVERS[request.param]
    with session("dbus-daemon", *programs) as made:
        parts.a_bus(made)
        yield Sound(made, start(made))


@pytest.fixture
def play_with(sound: Sound) -> Session:
    """Return the session with a speaker at 40, not muted."""
    sound.session.run("pactl", "set-sink-volume", "speaker", "40%")
    sound.session.run("pactl", "set-sink-mute", "speaker", "0")
    return sound.session


@pytest.fixture
def silent(sound: Sound) -> Iterator[Session]:
    """Return the session, whose server does not answer for the length of a test."""
    os.kill(sound.server.pid, signal.SIGSTOP)
    yield sound.session
    os.kill(sound.server.pid, signal.SIGCONT)


def volume_of(made: Session) -> list[str]:
    """Return what the server's own tool says: each channel, and whether it is muted."""
    said = made.run("pactl", "get-sink-volume", "speaker") + made.run("pactl", "get-sink-mute", "speaker")
    return [word for word in said.split() if word.endswith("%") or word in {"yes", "no"}]


@pytest.mark.req("S0-51", "T-23", "UN-01")
@pytest.mark.parametrize(
    ("before", "level", "then"),
    [
        *((["40%", "40%", "no"], level, [f"{level}%", f"{level}%", "no"]) for level in (0, 37, 100)),
        *(
            pytest.param(["40%", "40%", "no"], level, [f"{level}%", f"{level}%", "no"], marks=pytest.mark.thorough)
            for level in (1, 50, 99)
        ),
        (["40%", "40%", "yes"], 40, ["40%", "40%", "no"]),
        (["60%", "30%", "no"], 80, ["80%", "40%", "no"]),
        (["61%", "17%", "no"], 0, ["0%", "0%", "no"]),
        (["61%", "17%", "no"], 1, ["1%", "0%", "no"]),
        (["61%", "17%", "no"], 3, ["3%", "1%", "no"]),
    ],
)
async def test_a_level_is_set_and_comes_back_with_its_balance_and_its_muting(
    play_with: Session, before: list[str], level: int, then: list[str]
):
    play_with.run("pactl", "set-sink-volume", "speaker", *before[:2])
    play_with.run("pactl", "set-sink-mute", "speaker", before[2])
    trial = a_trial(play_with)

    plan = await trial.plan("sound.set_volume", level=level)
    lefts = await trial.do(plan)
    found = volume_of(play_with)
    again = await trial.plan("sound.set_volume", level=level)
    await trial.take_back(plan, lefts)

    assert found == then
    assert volume_of(play_with) == before
    muted = ", muted," if before[2] == "yes" else ""
    assert plan.summary == f"Set the volume from {before[0].rstrip('%')}{muted} to {level}"
    assert again.changes == ()


@pytest.mark.req("UN-01")
async def test_a_balance_that_was_changed_since_is_left_alone(play_with: Session):
    trial = a_trial(play_with)
    plan = await trial.plan("sound.set_volume", level=70)
    lefts = await trial.do(plan)
    play_with.run("pactl", "set-sink-volume", "speaker", "70%", "20%")

    with pytest.raises(ProviderError, match="the volume is no longer 70"):
        await trial.take_back(plan, lefts)

    assert volume_of(play_with) == ["70%", "20%", "no"]


async def test_what_an_older_sayso_left_without_channels_is_taken_back_all_the_same(play_with: Session):
    desktop = a_desktop(play_with)

    await desktop.apply(SetVolume(50), (OutputVolume("speaker", 40),))
    await desktop.apply(SetVolume(40, muted=False), (OutputVolume("speaker", 50),))

    assert volume_of(play_with) == ["40%", "40%", "no"]


@pytest.mark.req("UN-01")
async def test_another_output_is_not_taken_for_the_one_that_was_shown(play_with: Session):
    trial = a_trial(play_with)
    plan = await trial.plan("sound.set_volume", level=70)
    module = play_with.run("pactl", "load-module", "module-null-sink", "sink_name=headphones").strip()
    play_with.run("pactl", "set-sink-volume", "headphones", "40%")
    play_with.run("pactl", "set-default-sink", "headphones")

    with pytest.raises(ProviderError, match="the volume is no longer 40"):
        await trial.do(plan)

    assert volume_of(play_with) == ["40%", "40%", "no"]
    play_with.run("pactl", "set-default-sink", "speaker")
    play_with.run("pactl", "unload-module", module)


@pytest.mark.req("X-05", "T-23")
async def test_without_a_sound_server_it_says_what_to_start():
    starts = "no sound server answers; start pipewire-pulse or pulseaudio"
    with session() as silent, pytest.raises(SetupError, match=starts):
        await a_trial(silent).plan("sound.set_volume", level=1)


@pytest.mark.needs("pipewire", "pipewire-pulse")
@pytest.mark.req("X-05", "T-23")
async def test_a_sound_server_without_an_output_says_what_is_missing():
    with session("pipewire", "pipewire-pulse") as made:
        made.start("pipewire")
        wait_for((made.runtime / "pipewire-0").exists, "PipeWire")
        made.start("pipewire-pulse")
        wait_for(lambda: "PipeWire" in made.run("pactl", "info", check=False), "a sound server")

        with pytest.raises(SetupError, match="has no output now; plug one in, or start wireplumber"):
            await a_trial(made).plan("sound.set_volume", level=1)


@pytest.mark.req("X-05")
async def test_without_the_tool_it_says_what_to_install():
    with pytest.raises(SetupError, match="pactl not found; install pulseaudio-utils"):
        await SoundServer(ProgramRunner({"PATH": "/nowhere"}, RandomIds())).output()


@pytest.mark.req("X-13")
async def test_a_server_that_does_not_answer_is_not_waited_for(silent: Session):
    loudness = SoundServer(ProgramRunner(silent.environment, RandomIds()), seconds=0.3)

    with pytest.raises(ProviderError, match=r"pactl did not end within 0\.3 seconds"):
        await loudness.level()


async def test_an_interrupted_setting_is_settled_by_what_is_set(play_with: Session):
    desktop = a_desktop(play_with)
    step, before = SetVolume(41), (OutputVolume("speaker", 40),)

    not_yet = await desktop.settle(step, before)
    left = await desktop.apply(step, before)
    done = await desktop.settle(step, before)
    play_with.run("pactl", "set-sink-volume", "speaker", "12%")
    odd = await desktop.settle(step, before)

    assert isinstance(not_yet, NotDone)
    assert done == left == Applied((OutputVolume("speaker", 41, channels=(26870, 26870)),))
    assert isinstance(odd, CannotTell)


def test_silence_has_no_balance_to_keep():
    assert SoundOutput("a", (0, 0), muted=False).channels_at(50) == (FULL // 2, FULL // 2)
    assert SoundOutput("a", (FULL, FULL // 2), muted=False).channels_at(0) == (0, 0)
    assert SoundOutput("a", (FULL * 3 // 2,), muted=False).level == 150

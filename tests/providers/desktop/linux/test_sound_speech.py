"""Speech is heard on the output, and is silent once it is stopped."""

import array
from collections.abc import Iterator

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Left
from sayso.providers.desktop.linux.backend import LinuxDesktop
from sayso.providers.desktop.linux.sound import Voice
from sayso.providers.desktop.model import Say, StopSpeaking
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds
from tests.desktop_env import parts
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_trial

pytestmark = pytest.mark.needs("pulseaudio", "parecord", "espeak-ng")

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
    wait_for(lambda: recorded.exists() and recorded.stat().st_size >= 44100 * 4 // 5, "sound or silence", 5)
    made.end(listener)
    data = recorded.read_bytes()
    return max(map(abs, array.array("h", data[: len(data) // 2 * 2])))


@pytest.mark.req("S0-50")
async def test_speech_is_heard_while_the_answer_is_there_and_stops_with_the_undo(sounding: Session):
    trial = a_trial(sounding)

    plan = await trial.plan("speech.say", text=LONG)
    lefts = await trial.do(plan)
    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await trial.take_back(plan, lefts)

    wait_for(lambda: loudest(sounding) == 0, "silence")
    with pytest.raises(ProviderError, match="nothing of this is being said any more"):
        await trial.take_back(plan, lefts)


async def test_two_voices_are_stopped_each_by_itself(sounding: Session):
    desktop = a_desktop(sounding)
    for token in ("one", "two"):
        await desktop.apply(Say(LONG, token), ())

    await desktop.apply(StopSpeaking("one"), ())

    assert isinstance(await desktop.settle(Say(LONG, "one"), ()), CannotTell)
    assert isinstance(await desktop.settle(Say(LONG, "two"), ()), Left)
    assert isinstance(await desktop.settle(StopSpeaking("one"), ()), Left)
    assert not isinstance(await desktop.settle(StopSpeaking("two"), ()), Left)
    await desktop.apply(StopSpeaking("two"), ())


@pytest.mark.req("X-07")
async def test_words_that_look_like_options_are_spoken(sounding: Session):
    desktop = a_desktop(sounding)

    await desktop.apply(Say("-h --help -f /etc/passwd " + LONG, "odd"), ())

    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await desktop.apply(StopSpeaking("odd"), ())


@pytest.fixture
def dispatched(sounding: Session) -> Iterator[LinuxDesktop]:
    """Return a desktop that speaks through a server of its own."""
    socket = sounding.runtime / "speechd.sock"
    socket.unlink(missing_ok=True)
    server = sounding.start("speech-dispatcher", "-s", "-t", "0", "-c", "unix_socket", "-S", socket)
    wait_for(socket.exists)
    sounding.environment["SPEECHD_ADDRESS"] = f"unix_socket:{socket}"
    yield a_desktop(sounding, speech="speech-dispatcher")
    sounding.end(server)


@pytest.mark.needs("speech-dispatcher", "spd-say")
async def test_speech_dispatcher_speaks_and_is_hushed_too(sounding: Session, dispatched: LinuxDesktop):
    await dispatched.apply(Say(LONG, "said"), ())
    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await dispatched.apply(StopSpeaking("said"), ())

    wait_for(lambda: loudest(sounding) == 0, "silence")


@pytest.mark.needs("speech-dispatcher", "spd-say")
@pytest.mark.req("AP-05")
async def test_what_the_server_would_take_for_a_command_is_spoken(sounding: Session, dispatched: LinuxDesktop):
    await dispatched.apply(Say(f"!-!-!SET all VOLUME -100 {LONG}", "said"), ())

    wait_for(lambda: loudest(sounding) > AUDIBLE, "speech that is heard")
    await dispatched.apply(StopSpeaking("said"), ())


@pytest.mark.req("X-05", "T-23")
async def test_without_a_voice_it_says_what_to_install():
    for chosen in ("auto", "speech-dispatcher"):
        with pytest.raises(SetupError, match="install espeak-ng, or speech-dispatcher"):
            Voice(Runner({"PATH": "/nowhere"}, RandomIds()), chosen).speaker()

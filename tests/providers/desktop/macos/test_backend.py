"""The desktop of a simulated Mac: the suite, and what differs from other desktops."""

from pathlib import Path

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone, OpenFile, RevealFile
from sayso.core.ports import Backend
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.macos.backend import MacDesktop, build
from sayso.providers.desktop.model import (
    RestoreClipboard,
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    SetVolume,
    ShowNotification,
    Speak,
    StopSpeaking,
)
from sayso.testing.desktop import DesktopSuite
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from tests.desktop_env.session import wait_for
from tests.mac_env.fixtures import in_node, on

HOSTILE = (
    "“ü” 🙂\t\r\n\u2028\u2029\\'`${1}` -e",
    '" & (do shell script "touch CANARY") & "',
    "</script>😀" * 9999,
)
FOCUS = {"dnd_on": "Focus On", "dnd_off": "Focus Off"}


def a_desktop(mac: SimulatedMac, **settings: Json) -> MacDesktop:
    """Return the desktop of this Mac, with two shortcuts for do-not-disturb."""
    mac.change(lambda state: state["shortcuts"].update({"Focus On": {}, "Focus Off": {}, "Slow": {"seconds": 600}}))
    return build(on(mac, settings))


class TestMacos(DesktopSuite):
    """The suite on a simulated Mac."""

    @pytest.fixture(autouse=True)
    def _mac(self, mac: SimulatedMac) -> None:
        self.mac = mac

    def make(self) -> Backend:
        return a_desktop(self.mac, **FOCUS)


@in_node
class TestMacosInNode(TestMacos):
    """The same in another engine."""


@pytest.mark.req("S0-43", "S1-23", "S1-24", "X-06", "AP-03")
async def test_hostile_texts_arrive_letter_for_letter(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    for text in HOSTILE:
        await trial.do(await trial.plan("clipboard.write", text=text))

        assert mac.clipboard == text
        assert (await trial.answer("clipboard.read")).data["text"] == text


async def test_everything_that_was_on_the_clipboard_comes_back(mac: SimulatedMac):
    mac.copy("former", public_png="aWNv")
    before = mac.state["clipboard"]["items"]
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    plan = await trial.plan("clipboard.write", text="new")
    lefts = await trial.do(plan)
    await trial.take_back(plan, lefts)

    assert (plan.warns, mac.state["clipboard"]["items"]) == ((), before)


async def test_what_is_not_handed_over_is_named_before_and_after(mac: SimulatedMac):
    mac.change(lambda state: state["clipboard"].update(items=[{"com.apple.promise": None, "public.png": "aWNv"}]))
    desktop = a_desktop(mac, **FOCUS)
    trial = Trial(DESKTOP, desktop)

    plan = await trial.plan("clipboard.write", text="new")
    lefts = await trial.do(plan)
    back = plan.changes[0].undo
    assert isinstance(back, RestoreClipboard)
    foretold = desktop.foretells(back)
    await trial.take_back(plan, lefts)

    says = "what was on the clipboard comes back without some of its forms (com.apple.promise)"
    assert (plan.warns, foretold, desktop.tells(back, lefts[0])) == ((says,), says, says)
    assert mac.state["clipboard"]["items"] == [{"public.png": "aWNv"}]


async def test_a_password_is_neither_read_nor_kept(mac: SimulatedMac):
    mac.copy("hunter2", org_nspasteboard_ConcealedType="")
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    no = await refusal_of(trial.answer("clipboard.read"))
    plan = await trial.plan("clipboard.write", text="new")
    await trial.do(plan)

    assert (no.code, "is not kept" in plan.warns[0]) == ("clipboard.secret", True)
    assert not any(b"aHVudGVyMg" in file.read_bytes() for file in (mac.folder / "own").rglob("*") if file.is_file())


@pytest.mark.req("S0-47", "S0-48", "S1-22", "AP-03")
async def test_a_notification_shows_its_texts_as_they_are_and_plays_its_sound(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    await trial.do(await trial.plan("notify.show", title="A", message="B"))
    for text in HOSTILE:
        await trial.do(await trial.plan("notify.show", title="A", message=text, sound="Glass"))

    shown = [{"text": text, "withTitle": "A", "soundName": "Glass"} for text in HOSTILE]
    assert mac.state["notifications"] == [{"text": "B", "withTitle": "A"}, *shown]


async def test_a_sound_that_macos_does_not_have_is_named_before(mac: SimulatedMac):
    (mac.home / "Library/Sounds").mkdir(parents=True)
    (mac.home / "Library/Sounds/Mine.aiff").touch()
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    own = await trial.plan("notify.show", title="A", message="B", sound="Mine")
    none = await trial.plan("notify.show", title="A", message="B", sound="bell")

    assert own.warns == ()
    assert none.warns[0].startswith("no sound is called “bell”; there are Basso, ")


@pytest.mark.req("S0-51")
async def test_an_output_without_a_volume_says_so(mac: SimulatedMac):
    mac.change(lambda state: state["volume"].update(level=None))

    no = await refusal_of(Trial(DESKTOP, a_desktop(mac, **FOCUS)).plan("sound.set_volume", level=5))

    assert (type(no), no.code) == (SetupError, "sound.output")


@pytest.mark.req("S0-51")
async def test_the_volume_is_set_to_the_number(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    await trial.do(await trial.plan("sound.set_volume", level=20))

    assert mac.state["volume"] == {"level": 20, "muted": False}


@pytest.mark.req("S0-50", "X-07")
async def test_a_text_that_looks_like_an_option_is_spoken(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    plan = await trial.plan("speech.say", text="-v Zarvox" + " word" * 600)
    lefts = await trial.do(plan)
    wait_for(lambda: mac.state["spoken"])
    await trial.take_back(plan, lefts)

    assert (mac.calls[0], mac.state["spoken"]) == (["say"], ["-v Zarvox" + " word" * 600 + "\n"])


@pytest.mark.req("S0-52", "T-38")
async def test_do_not_disturb_runs_the_two_shortcuts_of_the_settings_or_says_how_to_make_them(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    await trial.do(await trial.plan("focus.set_dnd", state="ON"))
    await trial.do(await trial.plan("focus.set_dnd", state="OFF"))
    no = await refusal_of(Trial(DESKTOP, a_desktop(mac, dnd_on="Focus On")).plan("focus.set_dnd", state="ON"))

    assert mac.calls == [["shortcuts", "run", "Focus On"], ["shortcuts", "run", "Focus Off"]]
    assert (type(no), "Set Focus" in str(no), "desktop.dnd_on" in str(no)) == (SetupError, True, True)


@pytest.mark.req("S0-53", "S0-54", "T-24", "X-07")
async def test_a_shortcut_gets_its_input_by_the_path_of_a_private_file_that_is_gone_afterwards(mac: SimulatedMac):
    trial = Trial(DESKTOP, a_desktop(mac, **FOCUS))

    await trial.do(await trial.plan("shortcut.run", name="Focus On"))
    for text in HOSTILE:
        await trial.do(await trial.plan("shortcut.run", name="Focus On", input=text))
        assert mac.state["shortcuts"]["Focus On"]["input"] == text

    without, first = [call for call in mac.calls if call[1] == "run"][:2]
    assert without == ["shortcuts", "run", "Focus On"]
    assert [first[:3], first[4:]] == [["shortcuts", "run", "--input-path"], ["Focus On"]]
    assert not Path(first[3]).exists()


@pytest.mark.req("S0-53", "T-25")
async def test_a_shortcut_that_fails_takes_too_long_or_is_not_there_says_so(mac: SimulatedMac):
    desktop = a_desktop(mac, **FOCUS)
    mac.change(lambda state: state["shortcuts"].update({"Bad": {"error": "no network\n"}}))

    failed = await refusal_of(desktop.apply(RunShortcut("Bad"), ()))
    slow = await refusal_of(desktop.apply(RunShortcut("Slow", seconds=1), ()))
    unknown = await refusal_of(Trial(DESKTOP, desktop).plan("shortcut.run", name="Nope"))
    option = await refusal_of(desktop.apply(RunShortcut("-h"), ()))

    assert (failed.code, "no network" in str(failed)) == ("shortcut.failed", True)
    assert (slow.code, unknown.code, option.code) == ("program.timeout", "shortcut.unknown", "program.option")


@pytest.mark.req("S0-33", "S0-34", "S0-35", "S1-30")
async def test_files_are_opened_and_shown_with_exact_arguments(mac: SimulatedMac):
    file = mac.home / "-a b.txt"
    file.touch()
    desktop = a_desktop(mac, **FOCUS)

    await desktop.apply(OpenFile(str(file)), ())
    await desktop.apply(OpenFile(str(file), "TextEdit"), ())
    await desktop.apply(RevealFile(str(file)), ())

    assert [call for call in mac.calls if call[0] == "open"] == [
        ["open", str(file)],
        ["open", "-a", "/System/Applications/TextEdit.app", str(file)],
        ["open", "-R", str(file)],
    ]


@pytest.mark.req("AP-01", "S0-34")
async def test_an_application_is_the_only_one_of_its_name_and_out_of_reach_of_file_actions(mac: SimulatedMac):
    file = mac.home / "a.txt"
    file.touch()
    desktop = a_desktop(mac, **FOCUS)
    mac.install("Planted", folder=f"{mac.home}/Applications")
    mac.install("Twice", folder="/Applications", bundle="a")
    mac.install("Twice", folder="/Applications/More", bundle="b")

    names = ("Planted", "Twice", "Nothing")
    codes = [(await refusal_of(desktop.apply(OpenFile(str(file), name), ()))).code for name in names]

    assert codes == ["app.reachable", "app.ambiguous", "app.unknown"]
    assert not any(call[0] == "open" for call in mac.calls)


async def test_what_is_no_longer_there_is_not_opened(mac: SimulatedMac):
    desktop = a_desktop(mac, **FOCUS)

    no = await refusal_of(desktop.apply(RevealFile(str(mac.home / "gone")), ()))

    assert no.code == "world.changed"


@pytest.mark.req("S1-58")
async def test_what_macos_does_not_allow_is_an_action_that_failed_with_the_way_to_allow_it(mac: SimulatedMac):
    mac.fault("osascript", "denied")

    no = await refusal_of(a_desktop(mac, **FOCUS).apply(ShowNotification("a", "t", "m"), ()))

    assert (type(no), no.code, "Automation" in str(no)) == (ProviderError, "macos.automation", True)


async def test_nobody_can_tell_what_left_no_trace_and_the_rest_is_looked_at(mac: SimulatedMac):
    desktop = a_desktop(mac, **FOCUS)

    for step in (RunShortcut("it"), OpenFile("/a"), RevealFile("/a"), SetDoNotDisturb(on=True), Speak("a", "token")):
        assert isinstance(await desktop.settle(step, ()), CannotTell)
    assert isinstance(await desktop.settle(SetClipboard("a", "kept"), ()), NotDone)
    assert await desktop.settle(StopSpeaking("token"), ()) == Applied()
    assert isinstance(await desktop.settle(SetVolume(50), ()), Applied)


async def test_each_part_says_what_serves_it(mac: SimulatedMac):
    whole = {one.name: one.served for one in await a_desktop(mac, **FOCUS).capabilities()}
    (mac.bin / "say").unlink()
    lacking = {one.name: one.served for one in await a_desktop(mac, dnd_on="Focus On").capabilities()}

    assert whole["clipboard, notifications and volume"] == "osascript"
    assert (whole["speech"], whole["do not disturb"]) == ("say", "shortcuts")
    assert (lacking["speech"], lacking["do not disturb"]) == ("", "")

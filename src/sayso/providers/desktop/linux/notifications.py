"""Showing notifications, and switching do-not-disturb in the service that shows them."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from html import escape
from typing import Protocol

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.plan import Applied
from sayso.core.ports import Clock
from sayso.core.quotes import quoted
from sayso.providers.dbus.session import BusMethod, BusSignal, NoService, SessionBus
from sayso.providers.desktop.model import NotificationShown, ShowNotification
from sayso.providers.desktop.shortcuts import Shortcuts
from sayso.providers.programs.run import ProgramCall, ProgramRunner

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
WHO = "the notification service"
URGENCY = {"low": 0, "normal": 1, "high": 2}
ICON = {"info": "dialog-information", "success": "emblem-default", "warning": "dialog-warning", "error": "dialog-error"}
USUAL_TIMEOUT = -1
OUR_NAME = "sayso"


def service(name: str) -> BusMethod:
    """Return a method of the notification service."""
    return BusMethod(NAME, PATH, NAME, name, WHO)


def describe_sounds(can: Collection[str]) -> str:
    """Return the part of a message that says whether a service with these capabilities plays sounds."""
    return "it plays sounds" if "sound" in can else "it plays no sounds"


class Notifications:
    """Shows notifications."""

    def __init__(self, bus: SessionBus) -> None:
        self._bus = bus
        self._unheard: dict[str, str] = {}
        """For the token of each notification whose sound was not played, the reason."""

    async def loses(self, sound: str) -> str:
        """Return a sentence when the service plays no sounds; empty when it does, or when it does not answer."""
        try:
            name, can = await self._service()
        except SaysoError:
            return ""  # showing the notification reports the error
        if "sound" in can:
            return ""
        return (
            f"{name}, which shows notifications here, plays no sounds: "
            f"{quoted(sound)} is asked for, and will not be heard"
        )

    def take_report(self, token: str) -> str:
        """Return why the sound of a notification was not played, and forget it."""
        return self._unheard.pop(token, "")

    async def _service(self) -> tuple[str, Collection[str]]:
        name, *_ = await self._bus.call(service("GetServerInformation"))
        (can,) = await self._bus.call(service("GetCapabilities"))
        return str(name), can

    async def show(self, step: ShowNotification) -> Applied:
        """Show a notification, and return a fact with the number that the service gave it."""
        (can,) = await self._bus.call(service("GetCapabilities"))
        body = escape(step.message, quote=False) if "body-markup" in can else step.message
        title = step.title if "body" in can else f"{step.title}: {step.message}"
        hints: dict[str, tuple[str, int | str]] = {
            "urgency": ("y", URGENCY[step.priority]),
            "desktop-entry": ("s", OUR_NAME),
        }
        if step.sound:
            hints["sound-name"] = ("s", step.sound)
        no_buttons: list[str] = []
        (number,) = await self._bus.call(
            service("Notify"), "susssasa{sv}i",
            OUR_NAME, 0, ICON[step.type], title, body, no_buttons, hints, USUAL_TIMEOUT,
        )  # fmt: skip
        if step.sound and "sound" not in can:
            self._unheard[step.token] = (
                f"{quoted(step.sound)} was asked for, and {await self._server_name()} plays no sounds"
            )
        return Applied((NotificationShown(step.token, number),))

    async def _server_name(self) -> str:
        try:
            return (await self._service())[0]
        except SaysoError:
            return WHO  # the notification itself was shown


FILE, GROUP, KEY = "plasmanotifyrc", "DoNotDisturb", "Until"
WHERE = ("--file", FILE, "--group", GROUP, "--key", KEY)
CHANGED = BusSignal(f"/{FILE}", "org.kde.kconfig.notify", "ConfigChanged")
"""The signal that tells Plasma that another program changed its settings."""
LASTS = timedelta(days=365)
"""The duration that Plasma itself sets for “until I turn it off”: one year."""
SECONDS = 10.0
VERSIONS = ("6", "5")
_PARTS = 6


class KdeSwitch:
    """The switch of KDE: a moment in its settings before which no notification is shown."""

    name = "kde"

    def __init__(self, runner: ProgramRunner, bus: SessionBus, clock: Clock) -> None:
        self._runner = runner
        self._bus = bus
        self._clock = clock

    async def on(self) -> bool:
        """Return whether the moment is in the future; an unreadable moment counts as none."""
        return self._is_to_come(await self.until())

    async def until(self) -> str:
        """Return the moment in the format of KDE; empty when there is none."""
        return (await self._run_config_tool("kreadconfig", WHERE)).strip()

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Write or remove the moment, and notify Plasma. Raises `ProviderError` for a moment that has passed."""
        if not on:
            await self._run_config_tool("kwriteconfig", (*WHERE, "--delete"), "")
        elif until and not self._is_to_come(until):
            raise ProviderError("do not disturb was to end by itself, and that time is over by now", "dnd.over")
        else:
            await self._run_config_tool("kwriteconfig", WHERE, until or _format_moment(self._now() + LASTS))
        await self._bus.send_signal(CHANGED, "a{saay}", {GROUP: [KEY.encode()]})

    def _is_to_come(self, until: str) -> bool:
        moment = _parse_moment(until)
        return moment is not None and moment > self._now()

    def _now(self) -> datetime:
        """Return the local time without a zone, as KDE writes it."""
        return self._clock.now().astimezone().replace(tzinfo=None)

    async def _run_config_tool(self, program: str, words: tuple[str, ...], *values: str) -> str:
        found = next((f"{program}{version}" for version in VERSIONS if self._runner.find(f"{program}{version}")), None)
        if found is None:
            raise SetupError(
                "kwriteconfig6 not found; install libkf6config-bin, or libkf5config-bin, to switch do not disturb",
                "dnd.missing",
            )
        return await self._runner.run_for_text(ProgramCall(found, words, values, seconds=SECONDS))


def _format_moment(moment: datetime) -> str:
    numbers = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    return ",".join(map(str, numbers))


def _parse_moment(text: str) -> datetime | None:
    """Read year, month, day, hour, minute and second. Each may have a fraction, which is dropped."""
    try:
        year, month, day, hour, minute, second = (int(float(part)) for part in text.split(",")[:_PARTS])
        return datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    except (ValueError, OverflowError):
        return None


PAUSED = BusMethod(NAME, PATH, "org.dunstproject.cmd0", "paused", WHO)
GNOME = ("org.gnome.desktop.notifications", "show-banners")
XFCE = ("--channel", "xfce4-notifyd", "--property", "/do-not-disturb")

NO_EXTRA = "desktop.extra"
"""The code of the error that says how to install the package for D-Bus."""


class DoNotDisturbSwitch(Protocol):
    """A switch for do-not-disturb."""

    name: str

    async def on(self) -> bool | None:
        """Return whether do-not-disturb is on; None where the system does not report it."""
        ...

    async def until(self) -> str:
        """Return when do-not-disturb ends by itself, in the format of the system; empty when it does not."""
        ...

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Turn do-not-disturb on or off. If `until` is given, do-not-disturb ends by itself at that time."""
        ...


class PermanentSwitch:
    """A switch with which do-not-disturb does not end by itself."""

    async def until(self) -> str:
        """Return an empty string: do-not-disturb does not end by itself."""
        return ""


class DunstSwitch(PermanentSwitch):
    """The switch of dunst: while dunst is paused, notifications wait."""

    name = "dunst"

    def __init__(self, bus: SessionBus) -> None:
        self._bus = bus

    async def on(self) -> bool:
        """Return whether dunst is paused."""
        return bool(await self._bus.property(PAUSED))

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Pause or continue dunst."""
        await self._bus.set_property(PAUSED, "b", on)


class GnomeSwitch(PermanentSwitch):
    """The switch of GNOME, which hides or shows banners."""

    name = "gnome"

    def __init__(self, runner: ProgramRunner) -> None:
        self._runner = runner

    async def on(self) -> bool:
        """Return whether banners are hidden."""
        return await self._runner.run_for_text(ProgramCall("gsettings", ("get", *GNOME), seconds=SECONDS)) == "false"

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Hide banners, or show them."""
        await self._runner.run_for_text(
            ProgramCall("gsettings", ("set", *GNOME, "false" if on else "true"), seconds=SECONDS)
        )


class XfceSwitch(PermanentSwitch):
    """The switch of Xfce's notification service."""

    name = "xfce"

    def __init__(self, runner: ProgramRunner) -> None:
        self._runner = runner

    async def on(self) -> bool:
        """Return whether do-not-disturb is on; a property that was never set counts as off."""
        done = await self._runner.run(ProgramCall("xfconf-query", XFCE, seconds=SECONDS))
        return done.text.strip() == "true"

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Turn do-not-disturb on or off."""
        words = (*XFCE, "--create", "--type", "bool", "--set", "true" if on else "false")
        await self._runner.run_for_text(ProgramCall("xfconf-query", words, seconds=SECONDS))


class ShortcutSwitch(PermanentSwitch):
    """Two shortcuts of the person's own, which cannot report whether do-not-disturb is on."""

    name = "shortcuts"

    def __init__(self, shortcuts: Shortcuts, names: Mapping[bool, str]) -> None:
        self._shortcuts = shortcuts
        self._names = names

    async def on(self) -> bool | None:
        """Return None, because shortcuts do not report their state."""
        return None

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Run the shortcut for on or for off."""
        await self._shortcuts.run(self._names[on], None)


class DoNotDisturbSwitches:
    """Finds the switch of this session.

    `names` are the person's shortcuts that turn do-not-disturb on (True) and off (False), if the settings name them.
    """

    def __init__(
        self, runner: ProgramRunner, bus: SessionBus, shortcuts: Shortcuts, names: Mapping[bool, str], clock: Clock
    ) -> None:
        self._runner = runner
        self._bus = bus
        self._shortcuts = shortcuts
        self._names = names
        self._clock = clock

    async def switch(self) -> DoNotDisturbSwitch:
        """Return the switch of this session.

        Raises `SetupError` when there is none; its message says how to get one.
        """
        if len(self._names) == len((True, False)):
            return ShortcutSwitch(self._shortcuts, self._names)
        name, missing = await self._service()
        known: Mapping[str, DoNotDisturbSwitch] = {
            "dunst": DunstSwitch(self._bus),
            "Plasma": KdeSwitch(self._runner, self._bus, self._clock),
            "gnome-shell": GnomeSwitch(self._runner),
            "Xfce Notify Daemon": XfceSwitch(self._runner),
        }
        if name in known:
            return known[name]
        there = missing or f"{name} has no switch for it that sayso knows"
        raise SetupError(
            f"do not disturb cannot be switched here: {there}; write two shortcuts of your own into config.toml "
            "([shortcuts.NAME] with argv) and name them in [desktop] as dnd_on and dnd_off",
            "dnd.missing",
        )

    async def _service(self) -> tuple[str, str]:
        """Return the name of the notification service, and why it is not known; one of the two is empty."""
        try:
            name, *_ = await self._bus.call(service("GetServerInformation"))
        except NoService:
            return "", "no notification service is running"
        except (SetupError, ProviderError) as error:
            if error.code == NO_EXTRA:
                raise
            return "", str(error).partition("; ")[0]
        return str(name), ""

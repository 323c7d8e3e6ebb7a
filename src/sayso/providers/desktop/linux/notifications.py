"""Notifications through the notification service of the session."""

from collections.abc import Collection
from html import escape

from sayso.core.errors import SaysoError
from sayso.core.plan import Left
from sayso.providers.dbus.session import Bus, Method
from sayso.providers.desktop.model import Notify, Shown

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
WHO = "the notification service"
URGENCY = {"low": 0, "normal": 1, "high": 2}
ICON = {"info": "dialog-information", "success": "emblem-default", "warning": "dialog-warning", "error": "dialog-error"}
AS_LONG_AS_USUAL = -1
OUR_NAME = "sayso"


def service(name: str) -> Method:
    """Return a method of the notification service."""
    return Method(NAME, PATH, NAME, name, WHO)


def plays(can: Collection[str]) -> str:
    """Say in one clause whether a service that can do this plays sounds."""
    return "it plays sounds" if "sound" in can else "it plays no sounds"


class Notices:
    """Shows notifications."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._unheard: dict[str, str] = {}
        """By the token of a notification, what became of the sound that was asked for with it."""

    async def loses(self, sound: str) -> str:
        """Say that a sound would not be heard; nothing where the service plays sounds, or does not tell."""
        try:
            name, can = await self._service()
        except SaysoError:
            return ""  # showing it says what is the matter
        return "" if "sound" in can else f"{name}, which shows notifications here, plays no sounds: {_asked(sound)}"

    def tells(self, token: str) -> str:
        """Return, once, what became of the sound that was asked for."""
        return self._unheard.pop(token, "")

    async def _service(self) -> tuple[str, Collection[str]]:
        name, *_ = await self._bus.call(service("GetServerInformation"))
        (can,) = await self._bus.call(service("GetCapabilities"))
        return str(name), can

    async def show(self, step: Notify) -> Left:
        """Show one, and tell the number that the service gave it."""
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
            OUR_NAME, 0, ICON[step.type], title, body, no_buttons, hints, AS_LONG_AS_USUAL,
        )  # fmt: skip
        if step.sound and "sound" not in can:
            self._unheard[step.token] = f"“{step.sound}” was asked for, and {await self._named()} plays no sounds"
        return Left((Shown(step.token, number),))

    async def _named(self) -> str:
        try:
            return (await self._service())[0]
        except SaysoError:
            return "the notification service"  # it was shown all the same


def _asked(sound: str) -> str:
    return f"“{sound}” is asked for, and will not be heard"

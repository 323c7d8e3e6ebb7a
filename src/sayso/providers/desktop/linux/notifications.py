"""Notifications, through the notification service of the session."""

from collections.abc import Collection
from html import escape

from sayso.core.errors import SaysoError
from sayso.core.plan import Applied
from sayso.providers.dbus.session import BusMethod, SessionBus
from sayso.providers.desktop.model import NotificationShown, ShowNotification

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
    """Say in one clause whether a service with these capabilities plays sounds."""
    return "it plays sounds" if "sound" in can else "it plays no sounds"


class Notifications:
    """Shows notifications."""

    def __init__(self, bus: SessionBus) -> None:
        self._bus = bus
        self._unheard: dict[str, str] = {}
        """By the token of a notification, why its sound was not played."""

    async def loses(self, sound: str) -> str:
        """Say that a sound would not be heard; empty where the service plays sounds, or does not answer."""
        try:
            name, can = await self._service()
        except SaysoError:
            return ""  # showing the notification reports the error
        if "sound" in can:
            return ""
        return f"{name}, which shows notifications here, plays no sounds: “{sound}” is asked for, and will not be heard"

    def take_report(self, token: str) -> str:
        """Return, once, why the sound of a notification was not played."""
        return self._unheard.pop(token, "")

    async def _service(self) -> tuple[str, Collection[str]]:
        name, *_ = await self._bus.call(service("GetServerInformation"))
        (can,) = await self._bus.call(service("GetCapabilities"))
        return str(name), can

    async def show(self, step: ShowNotification) -> Applied:
        """Show one, and return the number that the service gave it."""
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
            self._unheard[step.token] = f"“{step.sound}” was asked for, and {await self._server_name()} plays no sounds"
        return Applied((NotificationShown(step.token, number),))

    async def _server_name(self) -> str:
        try:
            return (await self._service())[0]
        except SaysoError:
            return WHO  # it was shown all the same

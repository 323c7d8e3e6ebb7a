"""Notifications through the notification service of the session."""

from html import escape

from sayso.core.plan import Left
from sayso.providers.bus.session import Bus, Method
from sayso.providers.desktop.facts import Shown
from sayso.providers.desktop.steps import Notify

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
WHO = "the notification service"
URGENCY = {"low": 0, "normal": 1, "high": 2}
ICON = {"info": "dialog-information", "success": "emblem-default", "warning": "dialog-warning", "error": "dialog-error"}
AS_LONG_AS_USUAL = -1
OUR_NAME = "sayso"


def service(name: str) -> Method:
    """Return a method of the notification service."""
    return Method(NAME, PATH, NAME, name, WHO)


class Notices:
    """Shows notifications."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

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
        return Left((Shown(step.token, number),))

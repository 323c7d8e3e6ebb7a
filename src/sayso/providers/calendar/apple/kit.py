"""What reminders and events have in common in EventKit: the store, permission to use it, dates, and saving."""

from threading import Event
from typing import Any

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.quotes import quoted
from sayso.providers.macos.errors import HOST, SETTINGS

EVENTS, REMINDERS = 0, 1
"""The numbers of the kinds of entries."""
DENIED, FULL = frozenset({1, 2}), 3
"""What `authorizationStatusForEntityType_` returns: restricted or denied, and full access; 4 is to add events only."""
COMMIT = True
"""Whether EventKit saves a change at once."""
UNDEFINED = 2**63 - 1
"""`NSDateComponentUndefined`: the hour of a reminder of a day."""
DATE_UNITS, TIME_UNITS = 4 | 8 | 16, 32 | 64 | 128
Answer = dict[str, Json]


class Kit:
    """The modules `EventKit` and `Foundation` of PyObjC, and the store once macOS allows it."""

    def __init__(self, kit: Any, foundation: Any, seconds: float) -> None:
        self.kit = kit
        self.foundation = foundation
        self.seconds = seconds
        self._opened: Any = None
        self._allowed: set[int] = set()

    def store(self, kind: int) -> Any:
        """Return the store, after macOS has asked the person if it must. Raises `SetupError` if it is not allowed."""
        if self._opened is None:
            self._opened = self.kit.EKEventStore.alloc().init()
        if kind not in self._allowed:
            if self._status(kind) not in {*DENIED, FULL}:
                self._ask(self._opened, kind)
            if self._status(kind) != FULL:
                raise _refused(kind)
            self._allowed.add(kind)
        # What others changed meanwhile is read anew; a store from before the person said yes may show no calendars.
        self._opened.reset()
        return self._opened

    def _status(self, kind: int) -> int:
        return int(self.kit.EKEventStore.authorizationStatusForEntityType_(kind))

    def _ask(self, store: Any, kind: int) -> None:
        answered = Event()

        def answer(*_: object) -> None:
            answered.set()

        # Before macOS 14, there is one kind of access only.
        full = f"requestFullAccessTo{'Events' if kind == EVENTS else 'Reminders'}WithCompletion_"
        if hasattr(store, full):
            getattr(store, full)(answer)
        else:
            store.requestAccessToEntityType_completion_(kind, answer)
        answered.wait(self.seconds)

    def shelf(self, store: Any, kind: int, name: str) -> Any:
        """Return the calendar or list with this name; None if there is none that can be written to."""
        named = [one for one in store.calendarsForEntityType_(kind) if str(one.title()) == name]
        return next((one for one in named if one.allowsContentModifications()), named[0] if named else None)

    def require(self, answer: tuple[bool, Any], app: str, *, begun: bool = False) -> None:
        """Raise an error if EventKit did not save; PyObjC returns the error beside the answer.

        It is `Uncertain` if an earlier part of the change was saved (`begun`), else `ProviderError`.
        """
        saved, error = answer
        if saved:
            return
        why = "it said nothing" if error is None else f"{int(error.code())}: {error.localizedDescription()}"
        if begun:
            raise Uncertain(f"{app} refused a part of the change ({quoted(why)}); look there", "macos.refused")
        raise ProviderError(f"{app} refused, and nothing was changed ({quoted(why)})", "macos.refused")

    def day_of(self, date: Any) -> str:
        """Return the day of a date, such as `2026-03-14`."""
        return str(self.moment_of(self.foundation.NSCalendar.currentCalendar().components_fromDate_(DATE_UNITS, date)))

    def date_of(self, when: float | str) -> Any:
        """Return the date of a moment, or of the midnight at which a day begins."""
        if isinstance(when, str):
            return self.foundation.NSCalendar.currentCalendar().dateFromComponents_(self.components(when))
        return self.date(when)

    def moment_of(self, components: Any) -> int | str | None:
        """Return the moment or the day that components name."""
        if components is None:
            return None
        if int(components.hour()) == UNDEFINED:
            return f"{int(components.year()):04}-{int(components.month()):02}-{int(components.day()):02}"
        return milliseconds(self.foundation.NSCalendar.currentCalendar().dateFromComponents_(components))

    def components(self, moment: float | str | None) -> Any:
        """Return the components of a moment, or of a day without a time."""
        if moment is None:
            return None
        if isinstance(moment, str):
            made = self.foundation.NSDateComponents.alloc().init()
            year, month, day = map(int, moment.split("-"))
            made.setYear_(year)
            made.setMonth_(month)
            made.setDay_(day)
            return made
        calendar = self.foundation.NSCalendar.currentCalendar()
        return calendar.components_fromDate_(DATE_UNITS | TIME_UNITS, self.date(moment))

    def date(self, milliseconds: float) -> Any:
        """Return the date so many milliseconds after 1970."""
        return self.foundation.NSDate.dateWithTimeIntervalSince1970_(milliseconds / 1000)


def _refused(kind: int) -> SetupError:
    if kind == EVENTS:
        return SetupError(
            f"macOS does not let sayso use Calendar; in {SETTINGS} > Calendars, give full access to {HOST}",
            "macos.calendars",
        )
    return SetupError(
        f"macOS does not let sayso use Reminders; in {SETTINGS} > Reminders, turn on {HOST}", "macos.reminders"
    )


def milliseconds(date: Any) -> int:
    """Return a date as milliseconds since 1970."""
    return round(float(date.timeIntervalSince1970()) * 1000)

"""Do-not-disturb on KDE: the moment until which Plasma shows no notifications, in its own settings."""

from datetime import datetime, timedelta

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Clock
from sayso.providers.bus.session import Bus, Signal
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner

FILE, GROUP, KEY = "plasmanotifyrc", "DoNotDisturb", "Until"
WHERE = ("--file", FILE, "--group", GROUP, "--key", KEY)
CHANGED = Signal(f"/{FILE}", "org.kde.kconfig.notify", "ConfigChanged")
"""By this Plasma learns that somebody else changed its settings."""
LASTS = timedelta(days=365)
"""What Plasma itself writes for “until I turn it off”."""
SECONDS = 10.0
VERSIONS = ("6", "5")
_PARTS = 6


class Kde:
    """The switch of KDE: no notification is shown before a moment that it keeps."""

    name = "kde"

    def __init__(self, runner: Runner, bus: Bus, clock: Clock) -> None:
        self._runner = runner
        self._bus = bus
        self._clock = clock

    async def on(self) -> bool:
        """Say whether the moment is still to come; one that cannot be read is none."""
        return self._is_to_come(await self.until())

    async def until(self) -> str:
        """Return the moment as KDE writes it, empty where there is none."""
        return (await self._told("kreadconfig", WHERE)).strip()

    async def turn(self, *, on: bool, until: str = "") -> None:
        """Write the moment, or remove it, and tell Plasma. Raises `ProviderError` for a moment that is over."""
        if not on:
            await self._told("kwriteconfig", (*WHERE, "--delete"), "")
        elif until and not self._is_to_come(until):
            raise ProviderError("do not disturb was to end by itself, and that time is over by now", "dnd.over")
        else:
            await self._told("kwriteconfig", WHERE, until or _written(self._now() + LASTS))
        await self._bus.tell(CHANGED, "a{saay}", {GROUP: [KEY.encode()]})

    def _is_to_come(self, until: str) -> bool:
        moment = _read(until)
        return moment is not None and moment > self._now()

    def _now(self) -> datetime:
        """Return the time as the clock on the wall tells it, which is what KDE writes."""
        return self._clock.now().astimezone().replace(tzinfo=None)

    async def _told(self, program: str, words: tuple[str, ...], *values: str) -> str:
        found = next((f"{program}{version}" for version in VERSIONS if self._runner.find(f"{program}{version}")), None)
        if found is None:
            raise SetupError(
                "kwriteconfig6 not found; install libkf6config-bin, or libkf5config-bin, to switch do not disturb",
                "dnd.missing",
            )
        return await self._runner.told(Call(found, words, values, seconds=SECONDS))


def _written(moment: datetime) -> str:
    numbers = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    return ",".join(map(str, numbers))


def _read(text: str) -> datetime | None:
    """Read year, month, day, hour, minute and second, which may have parts."""
    try:
        year, month, day, hour, minute, second = (int(float(part)) for part in text.split(",")[:_PARTS])
        return datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    except (ValueError, OverflowError):
        return None

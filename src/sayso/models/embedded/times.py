"""Read when something is to be: a day, a time of day, both, or so long from now (T-46)."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from sayso.core.values import dataclass
from sayso.models.embedded.clocks import NAMED, Clock, clock_at
from sayso.models.embedded.days import Day, day_at
from sayso.models.embedded.lapses import Lapse, lapse_at
from sayso.models.embedded.words import each

_BETWEEN = frozenset({"at", "on", "by", "around", "about", "the", "in", "for", "this", ","})
"""Words that only join the parts of a time."""
_BEFORE_CLOCK = frozenset({"at", "by", "around", "about", "for"})
_PARTS = {"morning": 9, "lunchtime": 12}
"""Parts of a day that mean a time when no other was said; of the others nobody knows which."""
_HALVES = {"morning": 0, "afternoon": 12, "lunchtime": 12, "evening": 12, "night": 12, "tonight": 12}
_VAGUE = frozenset(each("later soon sometime someday eventually weekend week month year while ago last fortnight eod"))
_EARLIEST, _MORNING, _HALF_DAY, _LATE, _LONG_AGO = 6, 7, 12, 19, 6


@dataclass(frozen=True, slots=True)
class When:
    """A day, perhaps with a time of day, in the person's own time."""

    day: date
    clock: time | None = None

    @property
    def text(self) -> str:
        """Return it as operations take it."""
        return f"{self.day:%Y-%m-%d}" if self.clock is None else f"{self.day:%Y-%m-%d} {self.clock:%H:%M}"

    def after(self, minutes: int) -> "When":
        """Return so many minutes later."""
        later = datetime.combine(self.day, self.clock or time()) + timedelta(minutes=minutes)
        return When(later.date(), later.time())


@dataclass(frozen=True, slots=True)
class Unclear:
    """Words about time that do not say which."""

    why: str


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a time, as far as they were said."""

    day: Day | None = None
    clock: Clock | None = None
    part: str = ""
    lapse: Lapse | None = None


def when(words: Sequence[str], now: datetime) -> When | Unclear | None:
    """Return when these folded words say; `now` is in the person's own zone. None where they say no time."""
    said = _said(words, now.date())
    if said is None or said == _Said():
        return Unclear("say on which day, or at what time.") if _is_vague(words) else None
    if said.day is not None and said.day.unclear:
        return Unclear(said.day.unclear)
    if said.lapse is not None:
        return _later(said, now)
    return _placed(said, now)


def _said(words: Sequence[str], today: date) -> _Said | None:
    """Return the parts that these words say, each once; None where a word says nothing of the kind."""
    said, at = _Said(), 0
    while at < len(words):
        found = _next(words, at, today, said)
        if found is not None:
            said, at = found
        elif words[at] in _BETWEEN and at + 1 < len(words):
            at += 1
        else:
            return None
    return said


def _next(words: Sequence[str], at: int, today: date, said: _Said) -> tuple[_Said, int] | None:
    if said.lapse is None and (lapse := lapse_at(words, at)) is not None:
        return _Said(said.day, said.clock, said.part, lapse[0]), lapse[1]
    if said.day is None and (day := day_at(words, at, today)) is not None:
        return _Said(day[0], said.clock, said.part, said.lapse), day[1]
    if not said.part and words[at] in _HALVES:
        return _Said(said.day, said.clock, words[at], said.lapse), at + 1
    if said.clock is None and (clock := clock_at(words, at)) is not None and (_tells_time(words, at, clock[1])):
        return _Said(said.day, clock[0], said.part, said.lapse), clock[1]
    return None


def _tells_time(words: Sequence[str], start: int, end: int) -> bool:
    """Say whether a number is a time of day: one that stands alone is only behind a word such as “at”."""
    alone = end - start == 1 and (words[start].isdecimal() or words[start].isalpha()) and words[start] not in NAMED
    return not alone or (start > 0 and words[start - 1] in _BEFORE_CLOCK)


def _is_vague(words: Sequence[str]) -> bool:
    about = _VAGUE | _BETWEEN | {"next", "today", "tonight", "tomorrow", "day", "end", "of", "a", "on", "point", "some"}
    return any(word in _VAGUE for word in words) and all(word in about for word in words)


def _later(said: _Said, now: datetime) -> When | Unclear | None:
    lapse = said.lapse
    if lapse is None or said.day is not None:
        return None
    if lapse.minutes:
        if said.clock is not None or said.part:
            return Unclear("say either how long from now, or at what time.")
        local = (now.astimezone(UTC) + timedelta(minutes=lapse.minutes)).astimezone(now.tzinfo)
        return When(local.date(), time(local.hour, local.minute))
    day = now.date() + timedelta(days=lapse.days)
    return _placed(_Said(Day(day), said.clock, said.part), now)


def _placed(said: _Said, now: datetime) -> When | Unclear:
    clock = said.clock
    if clock is None and not said.part:
        return When(said.day.day if said.day else now.date())
    if clock is None and said.part not in _PARTS:
        return Unclear(f"at what time {said.part if said.part == 'tonight' else f'in the {said.part}'}?")
    if clock is None:
        clock = Clock(_PARTS[said.part])
    elif said.part and not clock.sure:
        clock = _in_part(clock, said.part)
    if said.day is not None and said.day.day != now.date():
        return _on(said.day.day, clock)
    today = said.day is not None or said.part == "tonight" or bool(said.part)
    return _next_time(clock, now, today=today)


def _in_part(clock: Clock, part: str) -> Clock:
    if part in {"night", "tonight"} and clock.hour == _HALF_DAY:
        return Clock(0, clock.minute)
    return clock.in_half(_HALVES[part])


def _on(day: date, clock: Clock) -> When | Unclear:
    """Return a time on another day: of two that may be meant the usual one, where there is one."""
    if clock.sure:
        return When(day, time(clock.hour, clock.minute))
    if clock.hour == _EARLIEST:
        return Unclear(f"is it {_shown(clock.in_half(0))} or {_shown(clock.in_half(_HALF_DAY))}?")
    usual = clock.in_half(0 if _MORNING <= clock.hour < _HALF_DAY else _HALF_DAY)
    return When(day, time(usual.hour, usual.minute))


def _next_time(clock: Clock, now: datetime, *, today: bool) -> When | Unclear:
    """Return the next time that a clock shows this, today where that was said."""
    options = [clock] if clock.sure else [clock.in_half(0), clock.in_half(_HALF_DAY)]
    ahead = [one for one in options if (one.hour, one.minute) > (now.hour, now.minute)]
    if not clock.sure:
        ahead = [one for one in ahead if one.hour >= _EARLIEST]
    if not clock.sure and not today and len(ahead) == 1 and ahead[0].hour >= _LATE:
        return Unclear(f"is it today at {_shown(ahead[0])}, or tomorrow at {_shown(options[0])}?")
    if ahead:
        return When(now.date(), time(ahead[0].hour, ahead[0].minute))
    if today:
        return Unclear("that time is past today.")
    if not clock.sure:
        return Unclear(f"is it tomorrow at {_shown(options[0])}, or at {_shown(options[1])}?")
    if now.hour - clock.hour < _LONG_AGO:
        return Unclear(f"that time is past today: is it tomorrow at {_shown(clock)}?")
    return When(now.date() + timedelta(days=1), time(clock.hour, clock.minute))


def _shown(clock: Clock) -> str:
    return f"{clock.hour:02}:{clock.minute:02}"

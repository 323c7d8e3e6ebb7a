"""Fill the arguments of reminders and events."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, cast

from sayso.core.encoding import Json
from sayso.models.builtin import clause as clauses
from sayso.models.builtin.clause import Answer, Arguments, Clause, Moment, Picked
from sayso.models.builtin.clauses import ORDERS
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import POINTING, Mention
from sayso.models.builtin.names import SMALL
from sayso.models.builtin.outcomes import Ambiguous, Unresolved
from sayso.models.builtin.times import PARTS_OF_DAY, day_at, time_of_day_at
from sayso.models.builtin.timespans import bare_day, is_many_days
from sayso.models.builtin.tokens import source_text, word_list

_DAY = len("2026-01-31")
_BY_ITSELF = frozenset({"daily", "weekly", "monthly", "yearly", "weekdays"})
_REPEATS = {24: "daily", 168: "weekly", 720: "monthly"}
_IN_WORDS = {
    "weekday": "weekdays", "weekdays": "weekdays", "month": "monthly", "monthly": "monthly", "year": "yearly",
    "yearly": "yearly", "week": "weekly", "weekly": "weekly", "day": "daily", "daily": "daily",
}  # fmt: skip


def _remind(clause: Clause) -> Answer:
    title = clause.text("T")
    if title is not None and title.casefold().startswith("for ") and clause.has({"timer", "countdown"}):
        title = title[len("for ") :]  # “a timer of 25 minutes for the bread”
    if any(_begins_another(clause, one) for one in clause.of("time")):
        return Unresolved("Say one reminder after the other.")
    if title is not None and set(title.casefold().split()) <= _NOTHING_SAID:
        return Unresolved("What are you to be reminded of?")
    if title is None:
        if not clause.has({"timer", "countdown"}):
            return Unresolved("What are you to be reminded of, and when?")
        title = _left_over(clause) or "Timer"
    repeat = _repeat(clause)
    if isinstance(repeat, Unresolved):
        return repeat
    more: Arguments = {"repeat": repeat} if repeat else {}
    before = _before_event(clause)
    if before is not None:
        return {"title": title, "due": before, **more} if isinstance(before, str) else before
    moment = clause.time()
    if clause.has({"book", "reserve", "order"}) and not clause.has(_REMINDING):
        clause.weaken(_WITHOUT_TIME)
    if not moment.told:
        clause.weaken(_WITHOUT_TIME if clause.strength < _CLEAR or not clause.has(_REMINDING) else 1.0)
        return {"title": title, **more}
    clause.weaken(moment.strength)
    due = _repeated(clause, repeat) or _due(moment, clause.utterance.now)
    return Unresolved(_unclear(moment)) if due is None else {"title": title, "due": due, **more}


def _left_over(clause: Clause) -> str | None:
    """Return the words that nothing explains, if they stand together, as in “kettle timer 8 min”."""
    taken = {at for one in clause.of("time", "repeat", "number", "quote") for at in range(one.start, one.end)}
    usual = cues() | SMALL | ORDERS
    loose = [at for at, word in enumerate(clause.said) if at not in taken and word not in usual]
    together = bool(loose) and loose[-1] - loose[0] == len(loose) - 1
    return source_text(clause.utterance.text, clause.words[loose[0] : loose[-1] + 1]) if together else None


_REMINDING = frozenset(word_list("remind reminder reminders reminding remember forget"))
_WITHOUT_TIME, _CLEAR = 0.3, 0.6
_NOTHING_SAID = POINTING | frozenset(
    word_list("something anything stuff things thing a an the to of about do please again later soon some me reminder")
)


def _begins_another(clause: Clause, time: Mention) -> bool:
    """Say whether another reminder begins at a time, as in “at noon to eat and at one to rest”."""
    before = clause.said[time.start - 1] if time.start else ""
    first = any(one.end < time.start - 1 for one in clause.of("time"))
    return first and before in {"and", "then", "also"} and clause.said[time.end : time.end + 1] == ["to"]


def _repeated(clause: Clause, repeat: str | None) -> str | None:
    """Return the next time of what is to be every day or every weekday; None if the time of day is not clear."""
    if repeat not in {"daily", "weekdays"}:
        return None
    said = " ".join(str(one.told.get("said", "")) for one in clause.of("repeat"))
    part = next((half for word, half in PARTS_OF_DAY.items() if word in said.split()), None)
    for one in clause.of("time"):
        words = clause.said[one.start : one.end]
        part = next((half for word, half in PARTS_OF_DAY.items() if word in words), part)
        found = next((found[0] for at in range(len(words)) if (found := time_of_day_at(words, at))), None)
        if found is None or (part is None and not found.sure) or {"lasts", "days", "span"} & {*one.told}:
            continue
        clock = found if found.sure else found.in_half(part or 0)
        now = clause.utterance.now
        day = now.date() + timedelta(days=(clock.hour, clock.minute) <= (now.hour, now.minute))
        while repeat == "weekdays" and day.weekday() > _FRIDAY:
            day += timedelta(days=1)
        return f"{day} {clock.hour:02}:{clock.minute:02}" if not _says_day(clause, [one]) else None
    return None


_FRIDAY = 4


def _due(moment: Moment, now: datetime) -> str | None:
    when, lasts, span = moment.get("when"), moment.get("lasts"), moment.pair("span")
    if isinstance(when, str):
        return clauses.to_come(when, now)
    if isinstance(lasts, int) and "unclear" not in moment.told:
        return clauses.later(now, lasts) if lasts < 24 * 60 else f"{now + timedelta(minutes=lasts):%Y-%m-%d}"
    return span[0] if span else None


def _unclear(moment: Moment) -> str:
    why = moment.get("unclear")
    return f"It is not clear when: {why}" if why else "It is not clear when."


def _repeat(clause: Clause) -> str | Unresolved | None:
    """Return how often a reminder repeats, as its operation takes it."""
    found = clause.of("repeat")
    if not found:
        every = next(
            (at for at, word in enumerate(clause.said) if word in {"every", "each"} and at not in clause.in_texts), None
        )
        after = clause.said[every + 1] if every is not None and every + 1 < len(clause.said) else ""
        if after in _IN_WORDS:
            return _IN_WORDS[after]
        if after[:3] in {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}:
            return "weekly"
        said = [word for at, word in enumerate(clause.said) if at not in clause.in_texts]
        often = next((_IN_WORDS[word] for word in said if word in _BY_ITSELF), None)
        return "weekly" if often is None and any(is_many_days(word) for word in said) else often
    told = cast("dict[str, Any]", found[0].value)
    if told["hours"] in _REPEATS:
        return _REPEATS[told["hours"]]
    return Unresolved("A reminder repeats every day, week, month or year.")


def _before_event(clause: Clause) -> str | Unresolved | None:
    """Return the time that is some minutes before an event, as in “15 minutes before the dentist”."""
    at = next((at for at, word in enumerate(clause.said) if word == "before" and at not in clause.in_texts), None)
    if at is None:
        return None
    lasts = [minutes for one in clause.of("time") if one.end == at and (minutes := _lasts(one)) is not None]
    if not lasts:
        return None
    event = clause.one("event", without=range(at))
    if not isinstance(event, Picked):
        return None
    start = str(cast("Mapping[str, Json]", event.value)["start"])
    if len(start) <= _DAY:
        return Unresolved("That event has no time of day.")
    due = clauses.shifted(start, -lasts[0])
    return due if due > f"{clause.utterance.now:%Y-%m-%d %H:%M}" else Unresolved("That time is past.")


_CALENDARS = frozenset({"calendar", "diary", "agenda"})
"""What is no place where an event is, although one says “in my calendar”."""


def _create_event(clause: Clause) -> Answer:
    title, place = clause.text("T"), clause.text("P")
    if title is None:
        return Unresolved("What is the event to be called?")
    moment = clause.time()
    clause.weaken(moment.strength)
    more: Arguments = {"location": place} if place and place.split()[-1].casefold() not in _CALENDARS else {}
    span, days, when, lasts = moment.pair("span"), moment.pair("days"), moment.get("when"), moment.get("lasts")
    if span:
        start, end = span
        if isinstance(when, str) and len(when) == _DAY:
            start, end = f"{when}{start[_DAY:]}", f"{when}{end[_DAY:]}"
        return {"title": title, "start": start, "end": end, **more}
    if isinstance(when, str) and len(when) > _DAY:
        when = clauses.to_come(when, clause.utterance.now)
        if isinstance(lasts, int):
            return {"title": title, "start": when, "end": clauses.shifted(when, lasts), **more}
        return Unresolved("Until when is it to be, or for how long?")
    if isinstance(when, str) and "unclear" not in moment.told and lasts is None:
        return {"title": title, "start": when, "end": clauses.day_after(when), **more}
    if days:
        return {"title": title, "start": days[0], "end": days[1], **more}
    return Unresolved(_unclear(moment) if moment.told else "When is it to be?")


def _event(clause: Clause) -> Picked | Ambiguous | Unresolved:
    """Return the event that is named; of events with the same name, the one on a day that is said."""
    found = clause.one("event")
    if not isinstance(found, Ambiguous):
        return found
    days = [day for one in clause.of("time") if (day := _day_of(one))]
    for day in days:
        one = clause.one(
            "event", fits=lambda value, day=day: str(cast("Mapping[str, Json]", value)["start"]).startswith(day)
        )
        if isinstance(one, Picked):
            return one
    return found


def _day_of(mention: Mention) -> str:
    when = mention.told.get("when")
    return str(when)[:_DAY] if when else ""


def _id(event: Picked) -> str:
    return str(cast("Mapping[str, Json]", event.value)["id"])


def _delete_event(clause: Clause) -> Answer:
    event = _event(clause)
    return {"id": _id(event)} if isinstance(event, Picked) else event


_RENAMING = frozenset({"rename", "retitle", "call", "called", "title", "name", "named", "rename:", "retitled", "reads"})
_PLACING = frozenset({"location", "place", "venue", "room", "where", "located"})
_ENDING = frozenset({"until", "till", "end", "ends", "ending", "extend", "longer", "finish", "finishes"})
_TO = frozenset({"to", "for", "at", "till", "until", "on"})


def _update_event(clause: Clause) -> Answer:
    event = _event(clause)
    if not isinstance(event, Picked):
        return event
    id_, start = _id(event), str(cast("Mapping[str, Json]", event.value)["start"])
    title = clause.text("T") if clause.has(_RENAMING) else None
    place = (
        clause.text("P")
        if any(word.isalpha() for word in _said_at(clause, "P")) and (clause.has(_PLACING) or not clause.of("time"))
        else None
    )
    more: Arguments = {**({"title": title} if title else {}), **({"location": place} if place else {})}
    times = _new_times(clause, event) if place or not clause.has(_ABOUT_PLACE) else []
    if not times:
        return {"id": id_, **more} if more else Unresolved("What is to be changed about it?")
    if (shift := _shift(clause, times)) is not None:
        return {"id": id_, "start": clauses.shifted(start, shift), **more} if len(start) > _DAY else _no_time()
    ending = clause.has(_ENDING)
    moved = _moved_to(clause, times)
    clock = _clock_of(clause, moved)
    if more and (clock is None or not _comes_after_to(clause, moved[-1].start)):
        return {"id": id_, **more}
    if ending and clock is not None and len(start) > _DAY:
        return _until(id_, start, clock)
    moment = clause.time(moved)
    when = moment.get("when")
    if span := moment.pair("span"):
        return {"id": id_, "start": span[0], "end": span[1], **more}
    if clock is not None and not _says_day(clause, moved):
        if any(_day_word(clause, one) for one in moved):
            return Unresolved(_unclear(moment))
        new = f"{start[:_DAY]} {clock}"
        past = datetime.fromisoformat(new).replace(tzinfo=clause.utterance.now.tzinfo) <= clause.utterance.now
        return Unresolved("That time is past.") if past else {"id": id_, "start": new, **more}
    if isinstance(when, str):
        if len(when) > _DAY:
            return {"id": id_, "start": when, **more}
        return {"id": id_, "start": f"{when}{start[_DAY:]}", **more} if len(start) > _DAY else _no_time()
    return Unresolved(_unclear(moment))


def _shift(clause: Clause, times: Sequence[Mention]) -> int | None:
    """Return the minutes by which an event moves, as in “push it back half an hour”; None if it does not say so."""
    told = next((one.told["shift"] for one in times if "shift" in one.told), None)
    if isinstance(told, int):
        return told
    lasts = [(one, minutes) for one in times if (minutes := _lasts(one)) is not None]
    sign = next((sign for word, sign in _SHIFTS.items() if clause.has({word})), None)
    anew = any(_STRONG & set(clause.said[max(0, one.start - 1) : one.start + 1]) for one in times)
    if sign is None or len(lasts) != 1 or anew or clause.has(_ENDING):
        return None
    return sign * lasts[0][1]


_SHIFTS = {"forward": -1, "earlier": -1, "sooner": -1, "postpone": 1, "delay": 1, "back": 1, "push": 1, "later": 1}
_ABOUT_PLACE = frozenset({"location", "place", "venue"})


def _new_times(clause: Clause, event: Picked) -> list[Mention]:
    """Return the times that are said outside of the event's name, or else the hours behind a word such as “to”."""
    times = [one for one in clause.of("time") if not set(range(one.start, one.end)) & event.at]
    numbers = [one for one in clause.of("number") if one.start and clause.said[one.start - 1] in _STRONG]
    return times or [one for one in numbers if _is_hour(one)]


def _is_hour(mention: Mention) -> bool:
    return isinstance(mention.value, int) and 0 < mention.value < _HOURS


def _lasts(mention: Mention) -> int | None:
    lasts = mention.told.get("lasts")
    return lasts if isinstance(lasts, int) else None


def _said_at(clause: Clause, label: str) -> list[str]:
    span = clause.spans.get(label)
    return [] if span is None else clause.said[span.start : span.end]


def _moved_to(clause: Clause, times: Sequence[Mention]) -> list[Mention]:
    """Return the times to which an event is moved: the last ones after “to”, or else the last one that is said."""
    strong = [
        one for one in times if clause.said[one.start] in _STRONG or clause.said[max(0, one.start - 1)] in _STRONG
    ]
    weak = [one for one in times if _comes_after_to(clause, one.start)]
    last = (strong or weak or [*times])[-1]
    found = [last]
    for one in times:
        if one.start > last.start and one.start - found[-1].end <= _NEXT:
            found.append(one)
    return found


_BY_DAY, _NOON = 7, 12
_STRONG, _NEXT, _HOURS = frozenset({"to", "till", "until", "->", "for"}), 2, 25


def _no_time() -> Unresolved:
    return Unresolved("That event has no time of day.")


def _comes_after_to(clause: Clause, at: int) -> bool:
    return clause.said[at] in _TO or (at > 0 and clause.said[at - 1] in _TO | {"->"})


def _says_day(clause: Clause, times: Sequence[Mention]) -> bool:
    told = clause.time(times)
    when = told.get("when")
    return isinstance(when, str) and (len(when) == _DAY or any(_day_word(clause, one) for one in times))


def _day_word(clause: Clause, mention: Mention) -> bool:
    said = clause.said[mention.start : mention.end]
    return any(day_at(said, at, clause.utterance.now.date()) is not None for at in range(len(said)))


def _clock_of(clause: Clause, times: Sequence[Mention]) -> str | None:
    """Return the time of day that is said, as `HH:MM`; one that may be morning or evening is taken by day."""
    for one in reversed([one for one in times if _lasts(one) is None]):
        said = clause.said[one.start : one.end]
        for at in range(len(said)):
            found = time_of_day_at(said, at)
            if found is not None:
                clock = (
                    found[0] if found[0].sure else found[0].in_half(0 if _BY_DAY <= found[0].hour < _NOON else _NOON)
                )
                return f"{clock.hour:02}:{clock.minute:02}"
    return None


def _until(id_: str, start: str, clock: str) -> Answer:
    early = datetime.fromisoformat(f"{start[:_DAY]} {clock}")
    began = datetime.fromisoformat(start).replace(tzinfo=None)
    options = [one for one in (early, early + timedelta(hours=12), early - timedelta(hours=12)) if one > began]
    if not options:
        return Unresolved("It would end before it begins.")
    return {"id": id_, "end": f"{min(options):%Y-%m-%d %H:%M}"}


def _find_events(clause: Clause) -> Answer:
    text = clause.text("T")
    if text is None or set(text.casefold().split()) <= POINTING | {"him", "her", "the", "event"}:
        event = clause.one("event")
        text = str(cast("Mapping[str, Json]", event.value)["title"]) if isinstance(event, Picked) else None
    else:
        text = _of_an_event(text, clause)
    return {**({"text": text} if text else {}), **_days(clause)} or Unresolved("Which events?")


def _of_an_event(text: str, clause: Clause) -> str:
    """Return a text without what is only said about the event that it begins with: “committee meets”."""
    span = clause.spans["T"]
    inside = [one for one in clause.mentions if one.kind == "event" and span.start <= one.start < span.end]
    if not inside:
        return text
    end = max(one.end for one in inside)
    says_more = clause.said[end : span.end]
    if 0 < len(says_more) <= _MOST_SAID and SMALL.isdisjoint(says_more) and inside[0].start == span.start:
        return source_text(clause.utterance.text, clause.words[span.start : end])
    return text


_MOST_SAID = 2


def _days(clause: Clause) -> Arguments:
    moment = clause.time()
    days, when = moment.pair("days"), moment.get("when")
    if isinstance(when, str):
        day = when[:_DAY]
        return {"start": day, "end": clauses.day_after(day)}
    if days:
        return {"start": days[0], "end": days[1]}
    found = _day_in(clause)
    return {} if found is None else {"start": f"{found}", "end": clauses.day_after(f"{found}")}


def _day_in(clause: Clause) -> date | None:
    """Return the first day that is said outside of texts, also as in “Friday's appointments”."""
    said = ["" if at in clause.in_texts else bare_day(word) for at, word in enumerate(clause.said)]
    for at in range(len(said)):
        found = day_at(said, at, clause.utterance.now.date())
        if found is not None:
            return found[0].day
    return None


TIMES: Mapping[str, Callable[[Clause], Answer]] = {
    "reminder.create": _remind,
    "reminder.list": _days,
    "calendar.create_event": _create_event,
    "calendar.update_event": _update_event,
    "calendar.delete_event": _delete_event,
    "calendar.find": _find_events,
    "calendar.list": _days,
}
"""The readers of these operations."""

"""Read the value of each kind of slot from words, and compute the arguments of an action from these values."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import cast
from urllib.parse import quote_plus

from sayso.core.encoding import Json
from sayso.models.builtin import entities, match, placing, texts, times, timespans
from sayso.models.builtin.entities import any_app, app_name, running_app
from sayso.models.builtin.match import (
    WHOLE,
    Entity,
    Resolution,
    SlotValue,
    Unresolved,
    entity_named,
    match_entity,
    quote_words,
)
from sayso.models.builtin.tokens import Token, join_words, source_text, word_list
from sayso.models.builtin.world import ContextWorld, Utterance

Reader = Callable[[Sequence[Token], Utterance], Resolution | None]

_TASK = "task tasks todo to-do item entry"
_DONE = "completed finished done"
_EVENT = frozenset(word_list("event meeting appointment today today's"))
_TOPICS = frozenset(
    word_list(
        "tab tabs app apps application applications program programs window windows file files folder "
        "folders project projects task tasks habit habits todo todos history working monitor monitors layout "
        "layouts"
    )
)
_ASKING = (
    "what ", "what's ", "which ", "how many ", "where ", "where's ", "do i have ", "did i ", "have i ", "are there ",
    "is there any ",
)  # fmt: skip
_SUPPOSING = frozenset(
    word_list(
        "should would could if might shall can happens happen happened when safe way best better mean means you about"
    )
)
_MOST_LEVEL, _LONGEST_QUESTION, _BY_DAY, _NOON = 100, 14, 7, 12
_LEVELS: Mapping[str, int] = MappingProxyType(
    {
        "half": 50,
        "a half": 50,
        "quarter": 25,
        "a quarter": 25,
        "three quarters": 75,
        "minimum": 0,
        "nothing": 0,
        "max": 100,
        "maximum": 100,
        "full": 100,
        "the max": 100,
        "the maximum": 100,
        "the minimum": 0,
    }
)  # fmt: skip
_ENDINGS: Mapping[str, str] = MappingProxyType(
    {"markdown": "md", "text": "txt", "word": "docx", "excel": "xlsx", "powerpoint": "pptx", "python": "py"}
)
_KNOWN_ENDINGS = frozenset(
    word_list(
        "pdf md txt doc docx odt rtf xls xlsx ods csv ppt pptx odp key png jpg jpeg gif svg webp heic tif tiff psd raw "
        "dng py js ts go rs java json xml yaml toml html css zip gz tar epub mp3 mp4 wav flac aac m4a ogg mov mkv avi"
    )
)


def read(kind: str, words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the value of this kind that the words mean, or why it is unclear; None if they mean no such value."""
    return KINDS[kind](words, utterance)


def _when(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    match times.parse_time([word.text for word in words], utterance.now):
        case times.PointInTime() as found:
            return SlotValue(found.text)
        case times.UnclearTime(why):
            return Unresolved(f"{quote_words(source_text(utterance.text, words))} does not say when: {why}", sure=True)
        case None:
            return None


def _clock(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a time of day without a day, as `HH:MM`; a time that may be morning or evening is taken by day."""
    found = times.time_of_day_at([word.text for word in words], 0)
    if found is None or found[1] != len(words):
        return None
    clock = found[0] if found[0].sure else found[0].in_half(0 if _BY_DAY <= found[0].hour < _NOON else _NOON)
    return SlotValue(f"{clock.hour:02}:{clock.minute:02}")


def _moment(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a time as `_when` does; None for a time of day alone, which is on the day of what is moved."""
    return None if _clock(words, utterance) is not None else _when(words, utterance)


def _span(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    match timespans.parse_time_span([word.text for word in words], utterance.now):
        case timespans.TimeSpan(start, end):
            return SlotValue({"start": start, "end": end})
        case times.UnclearTime(why):
            return Unresolved(f"{quote_words(source_text(utterance.text, words))} does not say when: {why}", sure=True)
        case None:
            return None


def _start(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Read the start of an event that was named without an end.

    Return a question about the end if the words are a clear time; otherwise the result of `_when`.
    """
    found = _when(words, utterance)
    if not isinstance(found, SlotValue):
        return found
    return Unresolved("Until when is it to be, or for how long?", sure=True)


def _long(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = [word.text for word in words]
    found = times.duration_at(said, 0)
    return SlotValue(join_words(words)) if found and found[1] == len(said) and found[0].minutes else None


def _often(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    hours = times.interval_hours([word.text for word in words])
    return None if hours is None else SlotValue(int(hours) if float(hours).is_integer() else hours)


def _days(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    found = timespans.days_of([word.text for word in words], utterance.now.date())
    return None if found is None else SlotValue({"start": f"{found[0]}", "end": f"{found[1]}"})


def _shift(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the minutes by which something moves, negative for “earlier”: `half an hour later`."""
    said = [word.text for word in words if word.text != "by"]
    sign = {"later": 1, "earlier": -1, "forward": -1, "back": 1, "sooner": -1, "down": 1}.get(said[-1] if said else "")
    found = times.duration_at(said, 0)
    if sign is None or found is None or found[1] != len(said) - 1:
        return None
    return SlotValue(sign * (found[0].minutes + found[0].days * 24 * 60))


_REPEATS: Mapping[str, str] = MappingProxyType(
    {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly", "weekday": "weekdays"}
)


def _repeat(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return how often a reminder repeats, as its operation takes it: `daily`, `weekly`, `monthly` or `yearly`."""
    said = join_words(words).replace("each ", "every ").replace("once a ", "every ")
    if said in {"daily", "weekly", "monthly", "yearly"}:
        return SlotValue(said)
    unit = said.removeprefix("every ")
    return SlotValue(_REPEATS[unit]) if said != unit and unit in _REPEATS else None


def _level(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = join_words(words).removesuffix("%").removesuffix(" percent").removesuffix(" per cent").strip()
    level = _LEVELS.get(said, times.number(said))
    if level is None:
        return None
    return SlotValue(level) if level <= _MOST_LEVEL else Unresolved("The volume goes from 0 to 100.", sure=True)


def _read_named(
    what: str, names: Callable[[ContextWorld], Iterable[str]], nouns: str, *, activities: bool = False
) -> Reader:
    """Return a function that finds a thing by its name; `nouns` are words for the kind of thing, such as “habit”."""

    def reader(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
        things = [entity_named(name, is_activity=activities) for name in names(utterance.world)]
        return match_entity(what, words, utterance, things, nouns.split())

    return reader


def _event(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the id, title and start of the event that the words mean."""
    things = [
        Entity({"id": event.id, "title": event.title, "start": event.start}, quote_words(event.title), (event.title,))
        for event in utterance.world.events
    ]
    return match_entity("event", words, utterance, things, _EVENT)


def _task(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    found = _active(words, utterance)
    if isinstance(found, Unresolved):
        done = _completed(words, utterance)
        if isinstance(done, SlotValue) and isinstance(done.value, str):
            return Unresolved(
                f"The task {quote_words(done.value)} is completed: it changes only after it was reopened.", sure=True
            )
    return found


_active = _read_named("task", lambda world: world.tasks, _TASK, activities=True)
_completed = _read_named("completed task", lambda world: world.completed, f"{_TASK} {_DONE}", activities=True)


def _preset_name(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the layout that the words mean if they are its whole name, else None."""
    found = _preset(words, utterance)
    return found if isinstance(found, SlotValue) and found.confidence == WHOLE else None


_preset = _read_named("layout", lambda world: world.presets, "layout preset arrangement workspace setup mode view")


def _new_text(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a new text.

    If it begins with “say” or “read” in lower case, return a question whether this word belongs to the text.
    """
    first = words[0]
    if (
        first.text in {"say", "read"}
        and not first.quoted
        and len(words) > 1
        and not utterance.text[first.start].isupper()
    ):
        rest = words[1:]
        if len(rest) == 1 and rest[0].quoted:
            return texts.text(rest, utterance)
        return Unresolved(
            f"Is {quote_words(first.text)} to be part of it? Put quotes around what it is to be.", sure=True
        )
    return texts.text(words, utterance)


def _monitor(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = " ".join(word.text for word in words if word.text not in _MONITOR)
    side = _SIDES.get(said, said)
    if side == "other":
        sides = {one for monitor in utterance.world.monitors for one in monitor.called}
        return None if sides else Unresolved("No other monitor is known.", sure=True)
    if not any(side in monitor.called for monitor in utterance.world.monitors):
        if side not in _SIDES.values():
            return None
        return Unresolved(f"No monitor here is called {quote_words(side)}.", sure=True)
    return SlotValue(side)


_MONITOR = frozenset(word_list("the my screen monitor display hand side one"))
_SIDES: Mapping[str, str] = MappingProxyType(
    {"primary": "main", "laptop": "main", "left": "left", "right": "right", "main": "main", "lefthand": "left",
     "righthand": "right", "left-hand": "left", "right-hand": "right", "big": "main", "first": "main"}
)  # fmt: skip


def _size(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = re.fullmatch(r"(\d{2,5}) ?(?:x|×|by) ?(\d{2,5})", join_words(words))
    return None if said is None else SlotValue([int(said[1]), int(said[2])])


def _question(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the words if they are a question about the context; None for other or hypothetical questions."""
    said = join_words(words)
    about = {word.text for word in words}
    if (
        len(words) > _LONGEST_QUESTION
        or any(word.pause for word in words[:-1])
        or not said.startswith(_ASKING)
        or not about & _TOPICS
        or about & _SUPPOSING
    ):
        return None
    return SlotValue(source_text(utterance.text, words), free_words=len(words))


def _ending(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = join_words(words).removeprefix("*").removeprefix(".")
    end = _ENDINGS.get(said, said.removesuffix("s"))
    return SlotValue(f"*.{end}") if end in _KNOWN_ENDINGS else None


KINDS: Mapping[str, Reader] = MappingProxyType(
    {
        "text": texts.text,
        "body": texts.body,
        "new_text": _new_text,
        "wish": texts.wish,
        "todo": texts.todo,
        "title": texts.title,
        "heading": texts.heading,
        "place": texts.place,
        "term": texts.term,
        "person": texts.person,
        "now": texts.now,
        "quote": texts.quote,
        "texts": texts.several,
        "when": _when,
        "clock": _clock,
        "moment": _moment,
        "span": _span,
        "days": _days,
        "shift": _shift,
        "start": _start,
        "long": _long,
        "often": _often,
        "level": _level,
        "tab": entities.one_tab,
        "tab_number": entities.tab_by_number,
        "tab_name": entities.tab_by_name,
        "tabs": entities.several_tabs,
        "app": any_app,
        "app_name": app_name,
        "running": running_app,
        "site": entities.site_address,
        "mail": entities.mail_addresses,
        "task": _task,
        "completed": _completed,
        "task_done": match.done_task,
        "task_ticked": match.ticked_task,
        "habit_done": match.done_habit,
        "event": _event,
        "reminder": _read_named("reminder", lambda world: world.reminders, "reminder reminders timer"),
        "repeat": _repeat,
        "habit": _read_named("habit", lambda world: world.habits, "habit habits", activities=True),
        "preset": _preset,
        "preset_name": _preset_name,
        "monitor": _monitor,
        "area": placing.area,
        "edge": placing.edge,
        "size": _size,
        "file": entities.existing_file,
        "files": entities.several_files,
        "folder": entities.folder,
        "into": entities.destination_folder,
        "path": entities.new_path,
        "newdir": entities.new_folder,
        "name": entities.new_name,
        "ending": _ending,
        "question": _question,
    }
)
"""The kinds of slots, each with its reader."""

_SLOT = re.compile(r"\{([a-z_]+)(?:\.([a-z]+))?(\?)?\}")


def fill_template(template: Json, said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the value of an argument, made from its template and the slot values; None if it cannot be computed."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {key: fill_template(value, said, utterance) for key, value in members.items()}
    if not isinstance(template, str):
        return template
    if template.startswith("@"):
        return WORKED_OUT[template[1:]](said, utterance)
    alone = _SLOT.fullmatch(template)
    if any(slot not in said and not optional for slot, _, optional in _SLOT.findall(template)):
        return None
    if alone:
        return _part(said.get(alone[1], ""), alone[2])
    return _SLOT.sub(lambda slot: str(_part(said[slot[1]], slot[2])), template)


def slots_in(template: Json) -> set[str]:
    """Return the names of the slots that a template uses."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {slot for value in members.values() for slot in slots_in(value)}
    return (
        {slot[0] for slot in cast("list[tuple[str, str, str]]", _SLOT.findall(template)) if not slot[2]}
        if isinstance(template, str)
        else set()
    )


def _part(value: Json, part: str | None) -> Json:
    if part is None:
        return value
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value)[part]
    path = str(value)
    return posixpath.basename(path) if part == "name" else posixpath.dirname(path)


def _rename_path(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the old path with a new file name; if the new name has no extension, the old one is kept."""
    old, new = str(said["file"]), str(said["name"])
    ending = "" if posixpath.splitext(new)[1] else posixpath.splitext(old)[1]
    return posixpath.join(posixpath.dirname(old), new + ending)


def _end(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the end of an event, from its start `when` and its duration `long`; None if the start has no time."""
    start = str(said["when"])
    found = times.duration_at(str(said["long"]).split(), 0)
    if " " not in start or found is None:
        return None
    return f"{datetime.fromisoformat(start) + timedelta(minutes=found[0].minutes):%Y-%m-%d %H:%M}"


def _day_after(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the end of an all-day event: the day after its start. None if the start has a time."""
    day = str(said["when"])
    return None if " " in day else f"{date.fromisoformat(day) + timedelta(days=1)}"


def _before(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the time that is `long` before an event starts; None for an all-day event, or if this time is past."""
    start = str(cast("Mapping[str, Json]", said["event"])["start"])
    found = times.duration_at(str(said["long"]).split(), 0)
    if found is None or not found[0].minutes or len(start) <= len("2026-01-31"):
        return None
    moment = datetime.fromisoformat(start).replace(tzinfo=utterance.now.tzinfo) - timedelta(minutes=found[0].minutes)
    return f"{moment:%Y-%m-%d %H:%M}" if moment > utterance.now else None


def _move_start(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the new start of an event that is moved; if only a day is given, the event keeps its time of day.

    Returns None if neither the new start nor the event has a time of day.
    """
    start, old = str(said["when"]), str(cast("Mapping[str, Json]", said["event"])["start"])
    if " " in start:
        return start
    return f"{start} {old[11:16]}" if len(old) > len(start) else None


def _move_to_clock(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the new start of an event on its own day; None if this is past."""
    start = f"{str(cast('Mapping[str, Json]', said['event'])['start'])[:10]} {said['clock']}"
    return start if datetime.fromisoformat(start).replace(tzinfo=utterance.now.tzinfo) > utterance.now else None


def _shift_start(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the start of an event, moved by `shift`; None for an all-day event."""
    start = str(cast("Mapping[str, Json]", said["event"])["start"])
    if len(start) <= len("2026-01-31"):
        return None
    moment = datetime.fromisoformat(start) + timedelta(minutes=cast("int", said["shift"]))
    return f"{moment:%Y-%m-%d %H:%M}"


def _delay_start(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the start of an event, later by `long`; None for an all-day event."""
    found = times.duration_at(str(said["long"]).split(), 0)
    minutes = 0 if found is None else found[0].minutes + found[0].days * 24 * 60
    return _shift_start({**said, "shift": minutes}, utterance) if minutes else None


def _until(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the new end of an event, on the day of its start; None if it would not end after it began."""
    start, end = str(cast("Mapping[str, Json]", said["event"])["start"]), str(said["when"])
    if len(start) <= len("2026-01-31") or len(end) <= len("2026-01-31"):
        return None
    clock = end[11:16]
    early = datetime.fromisoformat(f"{start[:10]} {clock}")
    began = datetime.fromisoformat(start).replace(tzinfo=None)
    options = [one for one in (early, early + timedelta(hours=12), early - timedelta(hours=12)) if one > began]
    return (
        f"{min(options):%Y-%m-%d %H:%M}" if options and end[:10] in {start[:10], f"{utterance.now:%Y-%m-%d}"} else None
    )


def _later(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the time that is `long` from now."""
    found = times.duration_at(str(said["long"]).split(), 0)
    return None if found is None else f"{utterance.now + timedelta(minutes=found[0].minutes):%Y-%m-%d %H:%M}"


def _now(said: Mapping[str, Json], utterance: Utterance) -> Json:
    return f"{utterance.now:%Y-%m-%d %H:%M}"


def _search(said: Mapping[str, Json], utterance: Utterance) -> Json:
    return f"https://www.google.com/search?q={quote_plus(str(said['term']))}"


def _videos(said: Mapping[str, Json], utterance: Utterance) -> Json:
    return f"https://www.youtube.com/results?search_query={quote_plus(str(said['term']))}"


def _beside(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return a path beside the file; if the new name has no extension, it gets the file's."""
    return _rename_path(said, utterance)


def _levels(said: Mapping[str, Json], utterance: Utterance) -> Json:
    return [0 for _ in cast("Sequence[Json]", said["texts"])]


WORKED_OUT: Mapping[str, Callable[[Mapping[str, Json], Utterance], Json]] = MappingProxyType(
    {
        "area": placing.area_of_monitor,
        "middle": placing.middle_of_monitor,
        "renamed": _rename_path,
        "end": _end,
        "levels": _levels,
        "moved": _move_start,
        "clocked": _move_to_clock,
        "shifted": _shift_start,
        "delayed": _delay_start,
        "until": _until,
        "before": _before,
        "later": _later,
        "now": _now,
        "day_after": _day_after,
        "search": _search,
        "videos": _videos,
        "beside": _beside,
    }
)
"""Functions that compute a value from several slots, by the name that follows `@` in a template."""

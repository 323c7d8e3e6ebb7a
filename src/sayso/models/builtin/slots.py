"""Slots of an intent: which kind of value each takes, and how it is read from the words."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin import entities, match, texts, times
from sayso.models.builtin.entities import any_app, app_name, running_app
from sayso.models.builtin.match import WHOLE, Found, Missing, Reading, Thing, by_name, one, quote_words
from sayso.models.builtin.tokens import Word, between, each, join_words
from sayso.models.builtin.world import Scene, World

Reader = Callable[[Sequence[Word], Scene], Reading | None]

_TASK = "task tasks todo to-do item entry"
_DONE = "completed finished done"
_EVENT = frozenset(each("event meeting appointment today today's"))
_TODAY = "Only the events of today are looked through."
_TOPICS = frozenset(
    each(
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
    each("should would could if might shall can happens happen happened when safe way best better mean means you about")
)
_MOST_LEVEL = 100
_LEVELS: Mapping[str, int] = MappingProxyType(
    {"half": 50, "max": 100, "maximum": 100, "full": 100, "the max": 100, "the maximum": 100, "the minimum": 0}
)
_ENDINGS: Mapping[str, str] = MappingProxyType(
    {"markdown": "md", "text": "txt", "word": "docx", "excel": "xlsx", "powerpoint": "pptx", "python": "py"}
)
_KNOWN_ENDINGS = frozenset(
    each(
        "pdf md txt doc docx odt rtf xls xlsx ods csv ppt pptx odp key png jpg jpeg gif svg webp heic tif tiff psd raw "
        "dng py js ts go rs java json xml yaml toml html css zip gz tar epub mp3 mp4 wav flac aac m4a ogg mov mkv avi"
    )
)


def read(kind: str, words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return what these words are as a thing of this kind; None where they cannot be one."""
    return KINDS[kind](words, scene)


def _when(words: Sequence[Word], scene: Scene) -> Reading | None:
    match times.when([word.text for word in words], scene.now):
        case times.When() as found:
            return Found(found.text)
        case times.Unclear(why):
            return Missing(f"{quote_words(between(scene.text, words))} does not say when: {why}", sure=True)
        case None:
            return None


def _span(words: Sequence[Word], scene: Scene) -> Reading | None:
    match texts.span([word.text for word in words], scene.now):
        case texts.Span(start, end):
            return Found({"start": start, "end": end})
        case times.Unclear(why):
            return Missing(f"{quote_words(between(scene.text, words))} does not say when: {why}", sure=True)
        case None:
            return None


def _start(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return when an event begins of which no end was said."""
    found = _when(words, scene)
    if not isinstance(found, Found):
        return found
    return Missing("Until when is it to be, or for how long?", sure=True)


def _long(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = [word.text for word in words]
    found = times.long_at(said, 0)
    return Found(join_words(words)) if found and found[1] == len(said) and found[0].minutes else None


def _often(words: Sequence[Word], scene: Scene) -> Reading | None:
    hours = times.often([word.text for word in words])
    return None if hours is None else Found(int(hours) if float(hours).is_integer() else hours)


def _level(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = join_words(words).removesuffix("%").removesuffix(" percent").strip()
    level = _LEVELS.get(said, times.number(said))
    if level is None:
        return None
    return Found(level) if level <= _MOST_LEVEL else Missing("The volume goes from 0 to 100.", sure=True)


def _read_named(what: str, names: Callable[[World], Iterable[str]], nouns: str, *, deeds: bool = False) -> Reader:
    """Return a reader of one thing by its name; `nouns` are words for its kind, which tell none apart."""

    def reader(words: Sequence[Word], scene: Scene) -> Reading | None:
        things = [by_name(name, is_deed=deeds) for name in names(scene.world)]
        return one(what, words, scene, things, nouns.split())

    return reader


def _event(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the id, title and start of the event that is meant."""
    things = [
        Thing({"id": event.id, "title": event.title, "start": event.start}, quote_words(event.title), (event.title,))
        for event in scene.world.events
    ]
    found = one("event", words, scene, things, _EVENT)
    return Missing(f"{found.why} {_TODAY}", found.sure) if isinstance(found, Missing) else found


def _task(words: Sequence[Word], scene: Scene) -> Reading | None:
    found = _active(words, scene)
    if isinstance(found, Missing):
        done = _completed(words, scene)
        if isinstance(done, Found) and isinstance(done.value, str):
            return Missing(
                f"The task {quote_words(done.value)} is completed: it changes only after it was reopened.", sure=True
            )
    return found


_active = _read_named("task", lambda world: world.tasks, _TASK, deeds=True)
_completed = _read_named("completed task", lambda world: world.completed, f"{_TASK} {_DONE}", deeds=True)


def _preset_name(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the layout that is named by its whole name, and by nothing less."""
    found = _preset(words, scene)
    return found if isinstance(found, Found) and found.sureness == WHOLE else None


_preset = _read_named("layout", lambda world: world.presets, "layout preset arrangement workspace setup mode view")


def _new_text(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return what something is changed to; “say” may belong to it or not, and does where it begins with a capital."""
    first = words[0]
    if first.text in {"say", "read"} and not first.quoted and len(words) > 1 and not scene.text[first.start].isupper():
        rest = words[1:]
        if len(rest) == 1 and rest[0].quoted:
            return texts.text(rest, scene)
        return Missing(f"Is {quote_words(first.text)} to be part of it? Put quotes around what it is to be.", sure=True)
    return texts.text(words, scene)


def _monitor(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = " ".join(word.text for word in words if word.text not in {"the", "my", "screen", "monitor", "display"})
    side = {"primary": "main", "laptop": "main"}.get(said, said)
    if side not in {"left", "right", "main"}:
        return None
    if not any(side in monitor.called for monitor in scene.world.monitors):
        return Missing(f"No monitor here is called {quote_words(side)}.", sure=True)
    return Found(side)


def _side(words: Sequence[Word], scene: Scene) -> Reading | None:
    return Found(words[0].text) if len(words) == 1 and words[0].text in {"left", "right", "top", "bottom"} else None


def _size(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = re.fullmatch(r"(\d{2,5}) ?(?:x|×|by) ?(\d{2,5})", join_words(words))
    return None if said is None else Found([int(said[1]), int(said[2])])


def _question(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return a question about what is here: what is asked of anything else, or what would be, is none."""
    said = join_words(words)
    about = {word.text for word in words}
    if not said.startswith(_ASKING) or not about & _TOPICS or about & _SUPPOSING:
        return None
    return Found(between(scene.text, words), free=len(words))


def _ending(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = join_words(words).removeprefix("*").removeprefix(".")
    end = _ENDINGS.get(said, said.removesuffix("s"))
    return Found(f"*.{end}") if end in _KNOWN_ENDINGS else None


KINDS: Mapping[str, Reader] = MappingProxyType(
    {
        "text": texts.text,
        "body": texts.text,
        "new_text": _new_text,
        "wish": texts.wish,
        "todo": texts.todo,
        "title": texts.title,
        "place": texts.place,
        "term": texts.term,
        "person": texts.person,
        "now": texts.now,
        "quote": texts.quote,
        "texts": texts.several,
        "when": _when,
        "span": _span,
        "start": _start,
        "long": _long,
        "often": _often,
        "level": _level,
        "tab": entities.one_tab,
        "tab_number": entities.by_number,
        "tab_name": entities.tabs_by_name,
        "tabs": entities.several,
        "app": any_app,
        "app_name": app_name,
        "running": running_app,
        "site": entities.site,
        "mail": entities.mail,
        "task": _task,
        "completed": _completed,
        "task_done": match.task,
        "task_ticked": match.find_ticked_task,
        "habit_done": match.habit,
        "event": _event,
        "habit": _read_named("habit", lambda world: world.habits, "habit habits", deeds=True),
        "preset": _preset,
        "preset_name": _preset_name,
        "monitor": _monitor,
        "side": _side,
        "size": _size,
        "file": entities.existing,
        "folder": entities.folder,
        "into": entities.into,
        "path": entities.new,
        "name": entities.name,
        "ending": _ending,
        "question": _question,
    }
)
"""What slots can be."""

_SLOT = re.compile(r"\{([a-z_]+)(?:\.([a-z]+))?\}")


def fill_template(template: Json, said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the value of an argument; None where it cannot be worked out."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {key: fill_template(value, said, scene) for key, value in members.items()}
    if not isinstance(template, str):
        return template
    if template.startswith("@"):
        return WORKED_OUT[template[1:]](said, scene)
    alone = _SLOT.fullmatch(template)
    if alone:
        return _part(said[alone[1]], alone[2])
    return _SLOT.sub(lambda slot: str(_part(said[slot[1]], slot[2])), template)


def slots_in(template: Json) -> set[str]:
    """Return the slots that a template names."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {slot for value in members.values() for slot in slots_in(value)}
    return (
        {slot[0] for slot in cast("list[tuple[str, str]]", _SLOT.findall(template))}
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


def _rename_path(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return a path beside the old one; a new name without an ending keeps the old one's."""
    old, new = str(said["file"]), str(said["name"])
    ending = "" if posixpath.splitext(new)[1] else posixpath.splitext(old)[1]
    return posixpath.join(posixpath.dirname(old), new + ending)


def _end(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the end of what begins at `when` and takes `long`; None for a day without a time."""
    start = str(said["when"])
    found = times.long_at(str(said["long"]).split(), 0)
    if " " not in start or found is None:
        return None
    return f"{datetime.fromisoformat(start) + timedelta(minutes=found[0].minutes):%Y-%m-%d %H:%M}"


def _day_after(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the end of what takes all of a day; None where a time was said."""
    day = str(said["when"])
    return None if " " in day else f"{date.fromisoformat(day) + timedelta(days=1)}"


def _before(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return so long before an event starts; None where it takes all day, or that moment is over."""
    start = str(cast("Mapping[str, Json]", said["event"])["start"])
    found = times.long_at(str(said["long"]).split(), 0)
    if found is None or not found[0].minutes or len(start) <= len("2026-01-31"):
        return None
    moment = datetime.fromisoformat(start).replace(tzinfo=scene.now.tzinfo) - timedelta(minutes=found[0].minutes)
    return f"{moment:%Y-%m-%d %H:%M}" if moment > scene.now else None


def _move_start(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return when an event starts after it was moved; with a day alone it stays at its time."""
    start, old = str(said["when"]), str(cast("Mapping[str, Json]", said["event"])["start"])
    if " " in start:
        return start
    return f"{start} {old[11:16]}" if len(old) > len(start) else None


def _levels(said: Mapping[str, Json], scene: Scene) -> Json:
    return [0 for _ in cast("Sequence[Json]", said["texts"])]


WORKED_OUT: Mapping[str, Callable[[Mapping[str, Json], Scene], Json]] = MappingProxyType(
    {
        "half": entities.half,
        "whole": entities.whole,
        "middle": entities.middle,
        "renamed": _rename_path,
        "end": _end,
        "levels": _levels,
        "moved": _move_start,
        "before": _before,
        "day_after": _day_after,
    }
)
"""What a template can name that no text with slots says."""

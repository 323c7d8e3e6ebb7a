"""Read the words in a slot as the kind of thing that the slot is for: a new kind is a function in `KINDS`."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from sayso.models.embedded import addresses, done, lapses, numbers, paths, spans, tabs, texts, times
from sayso.models.embedded.apps import any_app, app_name, running_app
from sayso.models.embedded.names import WHOLE
from sayso.models.embedded.readings import Found, Missing, Reading, quoted
from sayso.models.embedded.things import Thing, by_name, one
from sayso.models.embedded.words import Word, between, each, joined
from sayso.models.embedded.world import Scene, World

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
            return Missing(f"{quoted(between(scene.text, words))} does not say when: {why}", sure=True)
        case None:
            return None


def _span(words: Sequence[Word], scene: Scene) -> Reading | None:
    match spans.span([word.text for word in words], scene.now):
        case spans.Span(start, end):
            return Found({"start": start, "end": end})
        case times.Unclear(why):
            return Missing(f"{quoted(between(scene.text, words))} does not say when: {why}", sure=True)
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
    found = lapses.long_at(said, 0)
    return Found(joined(words)) if found and found[1] == len(said) and found[0].minutes else None


def _often(words: Sequence[Word], scene: Scene) -> Reading | None:
    hours = lapses.often([word.text for word in words])
    return None if hours is None else Found(int(hours) if float(hours).is_integer() else hours)


def _level(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = joined(words).removesuffix("%").removesuffix(" percent").strip()
    level = _LEVELS.get(said, numbers.number(said))
    if level is None:
        return None
    return Found(level) if level <= _MOST_LEVEL else Missing("The volume goes from 0 to 100.", sure=True)


def _named(what: str, names: Callable[[World], Iterable[str]], nouns: str, *, deeds: bool = False) -> Reader:
    """Return a reader of one thing by its name; `nouns` are words for its kind, which tell none apart."""

    def reader(words: Sequence[Word], scene: Scene) -> Reading | None:
        things = [by_name(name, is_deed=deeds) for name in names(scene.world)]
        return one(what, words, scene, things, nouns.split())

    return reader


def _event(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the id, title and start of the event that is meant."""
    things = [
        Thing({"id": event.id, "title": event.title, "start": event.start}, quoted(event.title), (event.title,))
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
                f"The task {quoted(done.value)} is completed: it changes only after it was reopened.", sure=True
            )
    return found


_active = _named("task", lambda world: world.tasks, _TASK, deeds=True)
_completed = _named("completed task", lambda world: world.completed, f"{_TASK} {_DONE}", deeds=True)


def _preset_name(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the layout that is named by its whole name, and by nothing less."""
    found = _preset(words, scene)
    return found if isinstance(found, Found) and found.sureness == WHOLE else None


_preset = _named("layout", lambda world: world.presets, "layout preset arrangement workspace setup mode view")


def _new_text(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return what something is changed to; “say” may belong to it or not, and does where it begins with a capital."""
    first = words[0]
    if first.text in {"say", "read"} and not first.quoted and len(words) > 1 and not scene.text[first.start].isupper():
        rest = words[1:]
        if len(rest) == 1 and rest[0].quoted:
            return texts.text(rest, scene)
        return Missing(f"Is {quoted(first.text)} to be part of it? Put quotes around what it is to be.", sure=True)
    return texts.text(words, scene)


def _monitor(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = " ".join(word.text for word in words if word.text not in {"the", "my", "screen", "monitor", "display"})
    side = {"primary": "main", "laptop": "main"}.get(said, said)
    if side not in {"left", "right", "main"}:
        return None
    if not any(side in monitor.called for monitor in scene.world.monitors):
        return Missing(f"No monitor here is called {quoted(side)}.", sure=True)
    return Found(side)


def _side(words: Sequence[Word], scene: Scene) -> Reading | None:
    return Found(words[0].text) if len(words) == 1 and words[0].text in {"left", "right", "top", "bottom"} else None


def _size(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = re.fullmatch(r"(\d{2,5}) ?(?:x|×|by) ?(\d{2,5})", joined(words))
    return None if said is None else Found([int(said[1]), int(said[2])])


def _question(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return a question about what is here: what is asked of anything else, or what would be, is none."""
    said = joined(words)
    about = {word.text for word in words}
    if not said.startswith(_ASKING) or not about & _TOPICS or about & _SUPPOSING:
        return None
    return Found(between(scene.text, words), free=len(words))


def _ending(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = joined(words).removeprefix("*").removeprefix(".")
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
        "tab": tabs.one,
        "tab_number": tabs.by_number,
        "tab_name": tabs.by_name,
        "tabs": tabs.several,
        "app": any_app,
        "app_name": app_name,
        "running": running_app,
        "site": addresses.site,
        "mail": addresses.mail,
        "task": _task,
        "completed": _completed,
        "task_done": done.task,
        "task_ticked": done.ticked,
        "habit_done": done.habit,
        "event": _event,
        "habit": _named("habit", lambda world: world.habits, "habit habits", deeds=True),
        "preset": _preset,
        "preset_name": _preset_name,
        "monitor": _monitor,
        "side": _side,
        "size": _size,
        "file": paths.existing,
        "folder": paths.folder,
        "into": paths.into,
        "path": paths.new,
        "name": paths.name,
        "ending": _ending,
        "question": _question,
    }
)
"""What slots can be."""

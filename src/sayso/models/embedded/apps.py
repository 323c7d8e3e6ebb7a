"""Read which application is meant: by its name, without its maker's, or as the browser."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sayso.models.embedded.names import BY_WORDS
from sayso.models.embedded.readings import Choice, Found, Missing, Reading, Several, quoted
from sayso.models.embedded.things import CHANGING, FILLING, Thing, bare, by_name, one
from sayso.models.embedded.words import Word, each, joined
from sayso.models.embedded.world import Scene

_WINDOW = frozenset({"window", "windows"})
_NOUNS = _WINDOW | {"app", "application", "program"}
_MAKERS = frozenset({"google", "microsoft", "mozilla", "libreoffice", "gnome", "apple", "adobe", "jetbrains", "brave"})
_SHORT: Mapping[str, str] = MappingProxyType({"visual studio code": "vs code"})
"""What an application is called besides its name."""
_BROWSERS = frozenset(each("firefox chrome chromium safari brave edge vivaldi opera"))


def any_app(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the name of the application that is meant, running or not."""
    return _app("application", words, scene, scene.world.apps)


def app_name(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the name of an application where these words are a name of one, and nothing otherwise."""
    found = any_app(words, scene)
    return found if isinstance(found, Found) and not any(word.text in CHANGING | FILLING for word in words) else None


def running_app(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the name of the running application that is meant; one of its windows is not all of it."""
    if any(word.text in _WINDOW for word in words):
        return Missing("A window alone cannot be closed: name the application to quit it.")
    found = _app("running application", words, scene, scene.world.running)
    if isinstance(found, Missing):
        other = _app("application", words, scene, scene.world.installed)
        if isinstance(other, Found) and isinstance(other.value, str):
            return Missing(f"{quoted(other.value)} is not running.")
    return found


def _app(what: str, words: Sequence[Word], scene: Scene, known: Sequence[str]) -> Reading | None:
    if joined(bare(words, _NOUNS)) in {"browser", "web browser", "internet browser"}:
        return _browser(scene, known)
    return one(what, words, scene, [_thing(name) for name in known], _NOUNS)


def _thing(name: str) -> Thing:
    maker, _, rest = name.partition(" ")
    short = [_SHORT[name.casefold()]] if name.casefold() in _SHORT else []
    return by_name(name, *([rest] if rest and maker.casefold() in _MAKERS else []), *short)


def _browser(scene: Scene, known: Sequence[str]) -> Reading:
    there = [name for name in known if _BROWSERS & set(name.casefold().split())]
    pool = [name for name in there if name in scene.world.running] or there
    if not pool:
        return Missing("No browser is known here by its name.")
    if len(pool) > 1:
        return Several("Which browser is meant?", tuple(Choice(quoted(name), name) for name in pool))
    return Found(pool[0], BY_WORDS)

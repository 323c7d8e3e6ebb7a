"""Read which task or habit somebody says they have done: `watered the ficus`, `hens are fed`."""

from collections.abc import Sequence

from sayso.models.embedded.forms import is_past, same
from sayso.models.embedded.names import BY_WORDS, parts
from sayso.models.embedded.readings import Choice, Found, Reading, Several, quoted
from sayso.models.embedded.things import CHANGING, FILLING, bare
from sayso.models.embedded.words import Word, each
from sayso.models.embedded.world import Scene

_ASKING = frozenset(each("is are was were has have had"))
"""Words with which a statement begins when it is a question."""
_HELPING = _ASKING | frozenset(each("been got get just already finally today again"))
_PASSED_OVER = FILLING | frozenset(each("up down out off on in of at from today now"))


def task(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the task that these words say is done."""
    return _done(words, scene.world.tasks)


def ticked(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the task that these words say is done where it is also said to tick it off: a part of its name will do."""
    found = task(words, scene)
    if isinstance(found, Several) and len(found.choices) == 1:
        return Found(found.choices[0].value, BY_WORDS)
    return found


def habit(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the habit that these words say was done."""
    return _done(words, scene.world.habits)


def _done(words: Sequence[Word], names: Sequence[str]) -> Reading | None:
    """Return the one whose verb is said as done; what is said in part is asked about."""
    said = [word for word in bare(words) if word.text not in _HELPING]
    if words[0].text in _ASKING or any(word.quoted or word.text in CHANGING for word in words):
        return None
    told = parts(" ".join(word.text for word in said))
    fitting = [name for name in names if _is_done(told, parts(name))]
    whole = [name for name in fitting if _says_all(told, parts(name))]
    if len(whole) == 1:
        return Found(whole[0], BY_WORDS)
    if not fitting:
        return None
    return Several("Which one is done?", tuple(Choice(quoted(name), name) for name in fitting), BY_WORDS)


def _is_done(told: Sequence[str], name: Sequence[str]) -> bool:
    """Say whether what was told has the verb of a name as past, and nothing that is not in the name."""
    verb = next((word for word in told if is_past(word) and same(word, name[0])), None) if name else None
    telling = [word for word in told if word != verb]
    told_enough = bool(telling) or len(name) == 1
    return verb is not None and told_enough and all(any(same(word, part) for part in name) for word in telling)


def _says_all(told: Sequence[str], name: Sequence[str]) -> bool:
    return all(part in _PASSED_OVER or any(same(word, part) for word in told) for part in name)

"""Take the words of a person as the answer to a question that was asked about earlier words."""

from collections.abc import Sequence

from sayso.core.canonical import Json
from sayso.models.embedded.deciding import Act, Ask
from sayso.models.embedded.names import named
from sayso.models.embedded.numbers import number, ordinal
from sayso.models.embedded.readings import Found, Missing, Several
from sayso.models.embedded.slots import read
from sayso.models.embedded.understanding import Meant, arguments_of
from sayso.models.embedded.words import Word, joined
from sayso.models.embedded.world import Scene

_YES = frozenset(
    {"yes", "y", "yeah", "yep", "yup", "sure", "right", "correct", "exactly", "ok", "okay", "do it", "yes please"}
)
_WHICH = frozenset({"the", "one", "number", "tab", "option", "choice", "i", "mean", "meant", "please", "task", "file"})
_ABOUT_TIME = frozenset({"when", "span", "start", "wish", "now", "long"})


def answered(question: Ask, words: Sequence[Word], scene: Scene) -> Act | None:
    """Return what is to be done after this answer; None where it does not answer the question."""
    if question.options:
        at = _chosen([option.said for option in question.options], [option.said for option in question.options], words)
        return None if at is None else question.options[at].act
    meant = question.open
    if meant is None or meant.slot is None:
        return None
    value = _value(meant, words, scene)
    if value is None:
        return None
    arguments = arguments_of(meant.intent, {**meant.said, meant.slot.name: value}, scene)
    return None if arguments is None else Act(meant.intent.means, arguments)


def _value(meant: Meant, words: Sequence[Word], scene: Scene) -> Json:
    match meant.doubt:
        case Several(_, choices):
            at = _chosen([str(choice.value) for choice in choices], [choice.said for choice in choices], words)
            return None if at is None else choices[at].value
        case Missing() if meant.slot is not None and meant.slot.kind not in _ABOUT_TIME:
            found = read(meant.slot.kind, words, scene)
            return found.value if isinstance(found, Found) else None
        case _:
            return None


def _chosen(values: Sequence[str], said: Sequence[str], words: Sequence[Word]) -> int | None:
    """Return which of the choices an answer names: by its own number, its place among them, or words of it."""
    if joined(words) in _YES:
        return 0 if len(said) == 1 else None
    telling = [word.text for word in words if word.text not in _WHICH]
    text = " ".join(telling)
    if text == "last":
        return len(said) - 1
    count = number(text)
    if count is not None:
        own = [at for at, value in enumerate(values) if value.strip("[]") == str(count)]
        return own[0] if len(own) == 1 else None
    place = ordinal(text)
    if place is not None and text:
        return place - 1 if 1 <= place <= len(said) else None
    found = named(text, [(one,) for one in said])
    return found.at[0] if len(found.at) == 1 else None

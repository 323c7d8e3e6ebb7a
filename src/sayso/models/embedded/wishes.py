"""From a person's words to what is to be done, in their order, or to the one question that must come first."""

from collections.abc import Iterator, Sequence

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.models.embedded import saying
from sayso.models.embedded.answering import answered
from sayso.models.embedded.clauses import cut
from sayso.models.embedded.courtesy import plain
from sayso.models.embedded.deciding import Act, Ask, Understood, decided
from sayso.models.embedded.intents import intents
from sayso.models.embedded.spelling import corrected
from sayso.models.embedded.understanding import Listener, arguments_of
from sayso.models.embedded.words import Word, between, words_of
from sayso.models.embedded.world import Scene

MOST_WORDS = 120


@dataclass(frozen=True)
class Question:
    """Why nothing is done yet: what is asked, and the operations that are in doubt."""

    why: str
    about: tuple[str, ...] = ()


def understood(scene: Scene, earlier: Sequence[str] = ()) -> tuple[Act, ...] | Question:
    """Return what the words of a scene wish for; `earlier` are words that were answered with a question."""
    if earlier:
        found = _after(earlier[-1], scene)
        if found is not None:
            return found
    clauses = _clauses(scene)
    return clauses if isinstance(clauses, Question) else _whole(clauses, scene)


def _after(earlier: str, scene: Scene) -> tuple[Act, ...] | None:
    """Return what earlier words wish for when these words answer the question about them; None where they do not."""
    clauses = _clauses(Scene(earlier, scene.world, scene.now))
    if isinstance(clauses, Question) or any(clause is None for clause in clauses):
        return None
    whats = [clause.what for clause in clauses if clause is not None]
    questions = [what for what in whats if isinstance(what, Ask)]
    if len(questions) != 1:
        return None
    act = answered(questions[0], plain(words_of(scene.text)).words, scene)
    return None if act is None else tuple(act if isinstance(what, Ask) else what for what in whats)


def _clauses(scene: Scene) -> tuple[Understood | None, ...] | Question:
    said = words_of(scene.text)
    if not said:
        return Question(saying.NOTHING_SAID)
    if len(said) > MOST_WORDS:
        return Question(saying.TOO_LONG)
    listener = Listener(scene, intents())

    def decide(words: Sequence[Word], verb: tuple[str, ...] = (), *, alone: bool = False) -> Understood | None:
        wish = plain(words).words
        spellings = dict.fromkeys((tuple(word.text for word in wish), corrected(wish)))
        asked: Understood | None = None
        for spelled in spellings:
            found = decided(listener.of(wish, spelled, verb, alone=alone))
            if found is not None and isinstance(found.what, Act):
                return found
            asked = asked or found
        return asked

    return cut(plain(said).words, decide).clauses


def _whole(clauses: Sequence[Understood | None], scene: Scene) -> tuple[Act, ...] | Question:
    """Return all that is to be done, or the first thing that must be asked: all of it is done, or nothing."""
    known = [clause for clause in clauses if clause is not None]
    if len(known) < len(clauses) or not known:
        return Question(saying.not_understood([between(scene.text, words_of(scene.text))]))
    asks = [clause.what for clause in known if isinstance(clause.what, Ask)]
    if asks:
        return Question(
            " ".join(dict.fromkeys(ask.why for ask in asks)), tuple(id_ for ask in asks for id_ in ask.about)
        )
    if any(clause.open_ended for clause in known[:-1]):
        return Question(saying.IN_QUOTES, ())
    return tuple(_on_the_same_monitor(known, scene))


def _on_the_same_monitor(clauses: Sequence[Understood], scene: Scene) -> Iterator[Act]:
    """Yield all acts; a half is that of the monitor that was said for the half before it."""
    monitor: Json = None
    for clause in clauses:
        act, meant = clause.what, clause.meant
        if not isinstance(act, Act) or meant is None:
            continue
        if act.operation != "app.place" or "side" not in meant.said:
            monitor = None
        elif "monitor" in meant.said:
            monitor = meant.said["monitor"]
        elif monitor is not None:
            there = arguments_of(meant.intent, {**meant.said, "monitor": monitor}, scene)
            act = act if there is None else Act(act.operation, there)
        yield act

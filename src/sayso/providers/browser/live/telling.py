"""What a person is told of a step beyond that it was done: what came of it, and what its way back does not bring."""

from collections.abc import Iterable

from sayso.core.plan import Fact, Facts
from sayso.providers.browser.facts import Again, Asked, NotShown
from sayso.providers.browser.steps import Navigate, ReopenTabs, Steps

ANEW = "opened anew: what was typed there, how far it was scrolled, and what it showed before are gone"


def foretold(step: Steps) -> str:
    """Say what a step does not bring back when it is a way back; empty where that is nothing."""
    match step:
        case ReopenTabs(_, urls):
            return f"{'their addresses are' if len(urls) > 1 else 'its address is'} {ANEW}"
        case Navigate():
            return f"its address is {ANEW}"
        case _:
            return ""


def told_of(left: Facts) -> str:
    """Say what came of a step, where that is less than was wanted."""
    return ", ".join(note for note in _notes(left) if note)


def _notes(left: Facts) -> Iterable[str]:
    return (_note(fact) for fact in left)


def _note(fact: Fact) -> str:
    match fact:
        case NotShown(_, why):
            return f"its page cannot be shown: {why}"
        case Asked(_, what):
            return what
        case Again(_, elsewhere, unseen):
            moved = f"{elsewhere} not at the place it had" if elsewhere else ""
            return ", ".join(each for each in (moved, f"{unseen} not loaded yet" if unseen else "") if each)
        case _:
            return ""

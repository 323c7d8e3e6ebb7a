"""Let the built-in rules answer every wish of a set, and judge each answer."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sayso.assembly.parts import PROVIDERS, dialect
from sayso.core.conversation import ConversationRequest
from sayso.dialects.base import read as read_reply
from sayso.models.builtin import BuiltIn
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import FakeClock
from tests.assistant.judging import Verdict, verdict
from tests.assistant.worlds import Case, Deed, read


@dataclass(frozen=True)
class Answer:
    """What was done about a wish, what was asked, and what that is worth."""

    case: Case
    deeds: tuple[Deed, ...]
    question: str
    worth: Verdict


def answers(path: Path, every: int = 1) -> Iterator[Answer]:
    """Yield an answer to every wish of a file, or each so many-th; a reply is read as any model's reply is."""
    wishes = read(path)
    operations = dict(catalogue(PROVIDERS))
    commands = dialect("commands")
    for case in wishes.cases[::every]:
        world = wishes.worlds[case.world]
        rules = BuiltIn(FakeClock(world.moment), world.moment.tzinfo)
        asked = ConversationRequest("", (), case.words, commands, context=world.context(), operations=operations)
        reply = read_reply(commands, operations, rules.reply(asked).text)
        proposed = () if reply.needs_clarification else reply.proposals
        deeds = tuple(Deed(one.operation or "", dict(one.arguments)) for one in proposed)
        question = reply.clarification_reason or ""
        yield Answer(case, deeds, question, verdict(case, world, deeds, question))


def counts(found: Iterable[Answer]) -> dict[Verdict, int]:
    """Return how many answers are right, asked and wrong."""
    counted = Counter(answer.worth for answer in found)
    return {"right": counted["right"], "asked": counted["asked"], "wrong": counted["wrong"]}

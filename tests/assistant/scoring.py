"""Let the built-in rules answer every wish of a set, and judge each answer: right, asked, or wrong."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

from sayso.assembly.parts import PROVIDERS, dialect
from sayso.core.conversation import ConversationRequest
from sayso.dialects.base import read as read_reply
from sayso.models.builtin import BuiltIn
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import FakeClock
from tests.assistant.worlds import Case, Deed, World, read

Verdict = Literal["right", "asked", "wrong"]


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


UNHEEDED = frozenset({"browser", "new_tab", "launch_if_needed", "limit"})
"""Arguments that make no difference to what the person wished for."""
PATHS = frozenset({"path", "source", "destination"})
TIMES = frozenset({"due", "start", "end", "after", "before"})


def verdict(case: Case, world: World, deeds: Sequence[Deed], reply: str = "") -> Verdict:
    """Return what it is worth to do `deeds` about a wish, or to do nothing and say `reply`.

    What a model proposes while it asks for clarification is not done, and is no deed.
    """
    if not case.right:
        if any(deed.operation not in case.may for deed in deeds):
            return "wrong"
        return "right" if all(one.casefold() in reply.casefold() for one in case.offer) else "asked"
    if not deeds:
        return "asked"
    done = [_plain(deed, world) for deed in deeds]
    return "right" if any([_plain(deed, world) for deed in each] == done for each in case.right) else "wrong"


def _plain(deed: Deed, world: World) -> tuple[str, dict[str, Any]]:
    told = {name: _value(name, value, world) for name, value in deed.arguments.items() if name not in UNHEEDED}
    if "bounds" in told:
        told.pop("monitor", None)  # where a window goes is said by its bounds
    if "question" in told:
        told["question"] = True  # any words for it
    told = {name: value for name, value in told.items() if value not in (None, "", {}, [])}
    if deed.operation == "calendar.find" and "text" not in told:
        return "calendar.list", told  # written before that operation was there
    return deed.operation, {name: value for name, value in told.items() if value not in (None, "", {}, [])}


def _value(name: str, value: Any, world: World) -> Any:
    match value:
        case dict():
            inner = cast("dict[str, Any]", value)
            return {key: _value(key, each, world) for key, each in inner.items() if key != "limit" and each is not None}
        case list() | tuple():
            plain = [_value("", each, world) for each in cast("Sequence[Any]", value)]
            return sorted(plain) if name == "indices" else plain
        case str() if name in PATHS:
            return world.absolute(value)
        case str() if name in TIMES:
            return _when(value, ZoneInfo(world.zone))
        case str() if name == "url":
            return _address(value)
        case str():
            return " ".join(value.split()).strip("\"'“”‘’ ").rstrip(".!").casefold()
        case _:
            return value


def _when(text: str, zone: ZoneInfo) -> date | datetime:
    if len(text) == len("2027-01-31"):
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def _address(text: str) -> str:
    bare = text.strip().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
    host, slash, rest = bare.partition("/")
    site = host.lower().removesuffix(".com").removesuffix(".org") if not slash else host.lower()
    return f"{site}{slash}{rest}"


def told(found: Sequence[Answer]) -> str:
    """Return the score of a set: what wants something by kind, and how much of what asks for nothing is left alone."""
    wanting = [answer for answer in found if answer.case.leave is None]
    resting = [answer for answer in found if answer.case.leave is not None]
    kinds = sorted({answer.case.about for answer in wanting})
    rows = [(kind, [answer for answer in wanting if answer.case.about == kind]) for kind in kinds]
    lines = [f"{kind:16} {_in_words(of_kind)}" for kind, of_kind in rows]
    alone = counts(resting)["right"]
    return "\n".join([*lines, f"{'wanting':16} {_in_words(wanting)}", f"{'left alone':16} {alone} of {len(resting)}"])


def _in_words(found: Sequence[Answer]) -> str:
    score = counts(found)
    return f"{score['right']}/{score['asked']}/{score['wrong']} of {len(found)}"


def _shown(answer: Answer) -> str:
    right = [list(each) for each in answer.case.right] or answer.case.offer or answer.case.leave
    got = list(answer.deeds) or answer.question
    return f"{answer.worth.upper()} {answer.case.id}: {answer.case.words}\n    right {right}\n    got   {got}"


def main(arguments: Sequence[str]) -> None:
    """Print the score of each set that is named; with `--show`, its failing wishes too."""
    for name in (one for one in arguments if one != "--show"):
        found = list(answers(Path(name)))
        failing = [_shown(answer) for answer in found if answer.worth != "right"] if "--show" in arguments else []
        print("\n".join([name, *failing, told(found)]))


if __name__ == "__main__":
    main(sys.argv[1:])

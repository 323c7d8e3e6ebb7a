"""Fill the arguments of each wish of a set with the right operation given, and count: exact, asked, wrong."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sayso.models.builtin.filling import fill
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.outcomes import Filled
from sayso.models.builtin.spoken import corrected, written
from sayso.models.builtin.tokens import strip_courtesy, tokenize
from sayso.models.builtin.world import Utterance, world_of
from tests.assistant.scoring import verdict
from tests.assistant.worlds import Case, Deed, read

LEAST = 0.45
"""Below this strength, the person is asked."""


@dataclass(frozen=True)
class FilledCase:
    """A wish, what its arguments came to, and what that is worth."""

    case: Case
    operation: str
    found: str
    strength: float
    worth: Literal["right", "asked", "wrong"]


def filled(path: Path) -> Iterator[FilledCase]:
    """Yield what each wish of a file comes to that does one thing, perhaps several times."""
    wishes = read(path)
    there = {name: (world_of(world.context()), world.moment) for name, world in wishes.worlds.items()}
    for case in wishes.cases:
        operations = {deed.operation for deed in case.do}
        if len(operations) != 1:
            continue
        operation = operations.pop()
        utterance, _ = written(Utterance(case.words, *there[case.world]))
        words = strip_courtesy(corrected(tokenize(utterance.text), utterance.world)).words
        found = fill(operation, words, find_mentions(words, utterance), utterance)
        if not isinstance(found, Filled):
            yield FilledCase(case, operation, str(found)[:300], 0.0, "asked")
            continue
        deeds = [Deed(operation, dict(each)) for each in found.arguments]
        worth = verdict(case, wishes.worlds[case.world], deeds)
        sure = worth == "right" or found.strength >= LEAST
        yield FilledCase(
            case, operation, str([one.arguments for one in deeds]), found.strength, worth if sure else "asked"
        )


def main(arguments: Sequence[str]) -> None:
    """Print the counts by operation; with `--show`, what is not right too."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for name in (one for one in arguments if not one.startswith("--")):
        for one in filled(Path(name)):
            counted[one.operation][one.worth] += 1
            if "--show" in arguments and one.worth != "right":
                print(f"{one.worth.upper()} {one.case.id}: {one.case.words}")
                print(f"    right {one.case.do}")
                print(f"    got   {one.strength:.2f} {one.found}")
    total = Counter[str]()
    for operation, count in sorted(counted.items()):
        total.update(count)
        print(f"{operation:24} {count['right']}/{count['asked']}/{count['wrong']}")
    print(f"{'all':24} {total['right']}/{total['asked']}/{total['wrong']} of {total.total()}")


if __name__ == "__main__":
    main(sys.argv[1:])

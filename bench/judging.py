"""Judging a plan with a reason, against one function written by hand for the same checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from bench.hand_written import judged
from bench.line import Gap, Line
from bench.size import Size
from bench.timing import times, work_of
from sayso.core.plan import Change, Plan
from sayso.policy.rules import judge
from sayso.policy.settings import Policy
from sayso.providers.files.model import Free, Rename, SameFolder, Unchanged
from sayso.providers.files.operations import move

HOME = "/home/ana"
ROOTS = (f"{HOME}/Documents", f"{HOME}/Downloads", f"{HOME}/Desktop")
OWN = f"{HOME}/.local/share/sayso"
POLICY = Policy(HOME, OWN, HOME, OWN, ROOTS, ROOTS, program=("/opt/sayso/lib",))
AT_ONCE = 500


@dataclass(frozen=True)
class Case:
    """One move as it comes to be judged."""

    arguments: Mapping[str, str]
    plan: Plan


def measured(size: Size) -> list[Line | Gap]:
    """Measure over moves of files that were never judged before."""
    took: dict[str, list[float]] = {"ours": [], "by hand": []}
    for number in range(size.rounds + 1):
        batch = cases(number)

        def ours(batch: list[Case] = batch) -> list[str]:
            return [ours_of(case) for case in batch]

        def by_hand(batch: list[Case] = batch) -> list[str]:
            return [judged(POLICY, move, case.plan, case.arguments)[0] for case in batch]

        if number == 0 and ours() != by_hand():
            raise RuntimeError("the two do not judge alike")
        took["ours"].append(work_of(ours))
        took["by hand"].append(work_of(by_hand))
    each = {name: 1e6 * median(all_of) / AT_ONCE for name, all_of in took.items()}
    beside = f"{each['ours']:.1f} µs against {each['by hand']:.1f} µs"
    return [Line("judging with a reason, against one function", times(took, "ours", "by hand"), 8, beside=beside)]


def ours_of(case: Case) -> str:
    """Return the product's ruling."""
    return judge(POLICY, move, case.plan, arguments=case.arguments).ruling


def cases(batch: int) -> list[Case]:
    """Return moves between two folders, each of another file."""
    start = f"{ROOTS[0]}/batch {batch}"
    return [_case(f"{start}/new/letter {n}.txt", f"{start}/done/letter {n}.txt") for n in range(AT_ONCE)]


def _case(source: str, destination: str) -> Case:
    expects = (Unchanged(source, "file", 1, 2, 3, 4, "00" * 32), Free(destination), SameFolder(ROOTS[0], 1, 5))
    changes = (Change(Rename(source, destination), Rename(destination, source), expects),)
    arguments = {"source": "~" + source[len(HOME) :], "destination": "~" + destination[len(HOME) :]}
    return Case(arguments, Plan(f"Move “{source}” to “{destination}”", changes, "Moved file"))

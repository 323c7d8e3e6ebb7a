"""Steps are carried out and settled beside the one thread in which everything else goes on."""

import threading

from sayso.core.plan import Facts, Left, NotDone, Settled
from sayso.providers.disk.threads import InThreads


class Notes(InThreads[str]):
    """A backend that says which thread it works in."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def _apply(self, step: str, expects: Facts) -> Left:
        self.threads.append(threading.get_ident())
        return Left()

    def _settle(self, step: str, expects: Facts) -> Settled:
        self.threads.append(threading.get_ident())
        return NotDone(step)


async def test_the_disk_keeps_nobody_else_waiting():
    backend = Notes()

    left = await backend.apply("step", ())
    settled = await backend.settle("step", ())

    assert (left, settled) == (Left(), NotDone("step"))
    assert threading.get_ident() not in backend.threads

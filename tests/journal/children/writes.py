"""Take action after action from asked to done, and tell of each commit only once it is acknowledged.

Arguments: the journal, the first key, how many actions, the most bytes a file may have (0: as many as it likes).
"""

import resource
import signal
import sys

import anyio

from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord, UpdateRecord
from sayso.core.record import Record, State
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_record, as_done


def tell(*words: object) -> None:
    """Write a line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def write(path: str, first: int, count: int) -> None:
    """Take so many actions down the path."""
    journal = SqliteJournal(path, clock=FakeClock())
    await journal.open()
    tell("open")
    for key in range(first, first + count):
        record = a_record(key)
        await journal.commit(InsertRecord(record), event="asked")
        tell(key, 0)
        await _on(journal, record.moved(state=State.RUNNING))
    await journal.close()


async def _on(journal: SqliteJournal, running: Record) -> None:
    await journal.commit(UpdateRecord(running), event="approved")
    tell(running.key, 1)
    await journal.commit(UpdateRecord(as_done(running)), event="done")
    tell(running.key, 2)


def main(path: str, first: str, count: str, most: str) -> None:
    """Do it, and tell of the error that ends it."""
    if int(most):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    try:
        anyio.run(write, path, int(first), int(count))
    except SetupError as error:
        tell("refused", error.code)


if __name__ == "__main__":
    main(*sys.argv[1:])

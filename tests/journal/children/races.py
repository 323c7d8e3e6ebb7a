"""Try to move row 1 on to each turn that is named on the input, and tell whether that was won.

Arguments: the journal, and the name to write into the row.
"""

import sys

import anyio

from sayso.core.errors import Stale
from sayso.core.ports import UpdateRecord
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_record


async def race(path: str, name: str) -> None:
    """Take part in every round."""
    journal = SqliteJournal(path, clock=FakeClock())
    await journal.open()
    for line in sys.stdin:
        try:
            await journal.commit(UpdateRecord(a_record(1).marked(turn=int(line), message=name)), event="approved")
        except Stale:
            sys.stdout.write("lost\n")
        else:
            sys.stdout.write("won\n")
        sys.stdout.flush()
    await journal.close()


if __name__ == "__main__":
    anyio.run(race, sys.argv[1], sys.argv[2])

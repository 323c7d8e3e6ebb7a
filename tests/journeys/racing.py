"""Let many processes decide about one waiting action at the same moment, round after round; tests start it.

One warmed-up process forks the others, so that they cost no start of Python. In each round one of them proposes;
the rest say that they are ready, and wait for a lock on a file that the first process holds until all are.
Prints one JSON line for each round: what each process was told.
"""

import fcntl
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TextIO

import anyio

import sayso
from sayso.assembly import Home
from sayso.core.decision import Question
from tests.journeys.ground import Ground, yes

WARM = ("anyio._backends._asyncio", "sayso.providers.files.local.backend")


@dataclass(frozen=True)
class Worker:
    """A forked process, spoken to line by line."""

    pid: int
    ears: TextIO
    mouth: TextIO

    def tell(self, line: str) -> None:
        """Say a line to it."""
        self.ears.write(line + "\n")
        self.ears.flush()

    def hear(self) -> str:
        """Wait for a line of it."""
        return self.mouth.readline().rstrip("\n")

    def gone(self) -> int:
        """Let it end, and return how it did. An empty line says so: forked later, others hold this pipe open too."""
        self.tell("")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


Part = Callable[[Ground, TextIO, TextIO], Awaitable[None]]


def a_worker(part: Part, ground: Ground) -> Worker:
    """Start a process that plays this part."""
    (told, tell), (hear, says) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        os.close(hear)
        ended = 1
        try:
            with os.fdopen(told) as ears, os.fdopen(says, "w") as mouth:
                anyio.run(part, ground, ears, mouth)
            ended = 0
        finally:
            os._exit(ended)
    os.close(told)
    os.close(says)
    return Worker(pid, os.fdopen(tell, "w"), os.fdopen(hear))


async def proposes(ground: Ground, ears: TextIO, mouth: TextIO) -> None:
    """Propose what is said, and say the id under which it waits."""
    async with ground.opened() as home:
        while text := ears.readline().strip():
            report = await home.run(text)
            say(mouth, report.outcomes[0].record.id)


async def decides(ground: Ground, ears: TextIO, mouth: TextIO) -> None:
    """Approve or decline what is said, with all others."""
    async with ground.opened() as home:
        while line := ears.readline().strip():
            word, ref = line.split()
            gate = os.open(ground.base / "barrier", os.O_RDONLY)
            say(mouth, "ready")
            fcntl.flock(gate, fcntl.LOCK_SH)
            os.close(gate)
            say(mouth, json.dumps({"word": word, **await told(home, word, ref)}))


async def told(home: Home, word: str, ref: str) -> dict[str, str | None]:
    """Decide, and return what one is told."""
    try:
        report = await (home.approve(ref, yes()) if word == "approve" else home.decline(ref))
    except sayso.SaysoError as lost:
        return {"error": str(lost), "code": getattr(lost, "code", None)}
    marks = report.outcomes[0].record.marks
    return {"state": marks.state.value, "message": marks.message, "error": marks.error}


async def hesitates(ground: Ground, ears: TextIO, mouth: TextIO) -> None:
    """Be shown the question, stand still as a machine put to sleep does, and then say yes."""

    def decide(question: Question) -> bool:
        say(mouth, "asked")
        os.kill(os.getpid(), signal.SIGSTOP)
        return True

    async with ground.opened() as home:
        ref = ears.readline().strip()
        report = await home.approve(ref, sayso.Client(decide))
        marks = report.outcomes[0].record.marks
        say(mouth, json.dumps({"state": marks.state.value, "approved_by": marks.approved_by}))
        ears.readline()


def race(ground: Ground, count: int, words: list[str]) -> None:
    """Let `count` processes decide in one round for each of `words`: `approve`, or `mixed` for half of them against."""
    barrier = ground.base / "barrier"
    barrier.touch()
    proposer = a_worker(proposes, ground)
    workers = [a_worker(decides, ground) for _ in range(count)]
    for number, word in enumerate(words):
        proposer.tell(text_of(number))
        ref = proposer.hear()
        with barrier.open() as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            for place, worker in enumerate(workers):
                worker.tell(f"{'decline' if word == 'mixed' and place % 2 else 'approve'} {ref}")
            assert [worker.hear() for worker in workers] == ["ready"] * count
        say(sys.stdout, json.dumps({"ref": ref, "told": [json.loads(worker.hear()) for worker in workers]}))
    assert [worker.gone() for worker in (proposer, *workers)] == [0] * (count + 1)


def text_of(number: int) -> str:
    """Return what is proposed in a round: a move, which may happen once; or text added, which shows how often."""
    if number % 2:
        return f'APPEND_FILE ~/Documents/log.txt "round {number};"'
    return f"MOVE_FILE ~/Documents/{number}.txt ~/Documents/moved/{number}.txt"


def overtaken(ground: Ground) -> None:
    """Let one process fall asleep over its question while another approves and acts; then wake it."""
    proposer, slow = a_worker(proposes, ground), a_worker(hesitates, ground)
    proposer.tell(text_of(0))
    ref = proposer.hear()
    slow.tell(ref)
    assert slow.hear() == "asked"
    os.waitpid(slow.pid, os.WUNTRACED)
    (ground.base / "barrier").touch()
    quick = a_worker(decides, ground)
    quick.tell(f"approve {ref}")
    assert quick.hear() == "ready"
    first = json.loads(quick.hear())
    os.kill(slow.pid, signal.SIGCONT)
    say(sys.stdout, json.dumps({"ref": ref, "quick": first, "slow": json.loads(slow.hear())}))
    assert [worker.gone() for worker in (proposer, slow, quick)] == [0, 0, 0]


def say(where: TextIO, line: str) -> None:
    """Write a line at once."""
    where.write(line + "\n")
    where.flush()


def main(what: str, base: str, *words: str) -> None:
    """Run a race on the ground at `base`: the number of processes, then a word for each round."""
    for module in WARM:
        import_module(module)
    if what == "race":
        race(Ground(Path(base)), int(words[0]), list(words[1:]))
    else:
        overtaken(Ground(Path(base)))


if __name__ == "__main__":
    main(*sys.argv[1:])

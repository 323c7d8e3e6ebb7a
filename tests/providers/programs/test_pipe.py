"""A program is talked with, line by line, while its time stands still for our answers."""

import os
import sys

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.programs.run import ProgramCall, ProgramRunner
from sayso.runtime.system import RandomIds
from tests.providers.programs.passing import passes

ECHO = """
import os, sys
reading, writing = int(sys.argv[1]), int(sys.argv[2])
came = os.read(reading, 100)
os.write(writing, b"1:" + came)
os.write(writing, b"2:" + os.read(reading, 100))
print("said beside it", flush=True)
os.read(reading, 100)
"""


class Talks:
    """Says what it is given, one thing after the other, and keeps what it is told."""

    def __init__(self, *says: bytes, seconds: float = 0, most: int = 1000) -> None:
        self._says = list(says)
        self._seconds = seconds
        self.most = most
        self.told: list[bytes | None] = []

    async def begin(self) -> bytes:
        return self._says.pop(0)

    async def answer(self, message: bytes | None) -> bytes | None:
        self.told.append(message)
        passes(self._seconds)
        return self._says.pop(0) if self._says and message is not None else None


def python(script: str, seconds: float = 20) -> ProgramCall:
    return ProgramCall(sys.executable, ("-I", "-S", "-c", script), seconds=seconds, kept=True, bare=True)


async def run(call: ProgramCall, talk: Talks) -> str:
    return (await ProgramRunner(os.environ, RandomIds()).run(call, talk)).text


async def test_what_each_says_reaches_the_other():
    talk = Talks(b"hello\n", b"again\n")

    await run(python(ECHO), talk)

    assert talk.told == [b"1:hello", b"2:again"]


async def test_the_time_of_an_answer_is_not_the_programs():
    talk = Talks(b"hello\n", b"again\n", seconds=60)

    await run(python(ECHO), talk)

    assert talk.told == [b"1:hello", b"2:again"]


@pytest.mark.parametrize(
    "script",
    ["import os, sys, time; os.write(int(sys.argv[2]), b'x' * 5000); time.sleep(99)",
     "import os, sys, time; os.write(int(sys.argv[2]), b'x' * 2000 + b'\\n'); time.sleep(99)"],
)  # fmt: skip
async def test_more_at_once_than_may_be_ends_it(script: str):
    talk = Talks(b"\n", b"\n")

    await run(python(script), talk)

    assert talk.told == [None]


async def test_one_that_does_not_listen_is_ended_in_its_time():
    talk = Talks(b"x" * 2**22)

    with pytest.raises(ProviderError, match=r"did not end within 0\.5 seconds"):
        await run(python("import time; time.sleep(99)", seconds=0.5), talk)


async def test_one_that_ends_at_once_is_no_fault():
    talk = Talks(b"x" * 2**22)

    await run(python("pass"), talk)

    assert talk.told in ([], [None])

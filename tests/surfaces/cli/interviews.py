"""Answer what sayso asks at a terminal, each question once it stands there."""

import os
import pty
import select
import threading
from collections.abc import Sequence

from sayso.surfaces.cli.terminal import Interview, Terminal
from sayso.surfaces.cli.text import Style
from tests.surfaces.cli.person import Screen

HEAD = "Your mail address"


def answered(screen: Screen, *answers: tuple[str, str]) -> None:
    """Wait for each question to be the last thing on the screen, type its answer, and see the line end.

    The same may be asked twice, and until its line has ended the first one still stands there as if it were the second.
    """
    for question, typed in answers:
        screen.until(lambda text, asked=question: screen.is_at_prompt and _last(text).startswith(asked))
        before = len(screen.raw)
        screen.type(f"{typed}\n")
        screen.until(lambda _, before=before: b"\n" in screen.raw[before:])


def _last(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    return lines[-1] if lines else ""


def servers(
    imap: tuple[str, int, str], smtp: tuple[str, int, str], user: str = "", address: str = "ana@example.test"
) -> Sequence[tuple[str, str]]:
    """Return the answers up to how one signs in: address, name, both servers with their protection, user."""
    return (
        (HEAD, address),
        ("Your name", "Ana Berg"),
        ("Server to read from", f"{imap[0]}:{imap[1]}"),
        ("How is port", imap[2]),
        ("Server to send by", f"{smtp[0]}:{smtp[1]}"),
        ("How is port", smtp[2]),
        ("Your user name", user),
    )


def by_password(word: str) -> Sequence[tuple[str, str]]:
    """Return the answers of somebody whose password goes into the keyring."""
    return (("Which", "1"), ("Password", word))


def by_program(*words: str) -> Sequence[tuple[str, str]]:
    """Return the answers of somebody whose password a program prints."""
    return (("Which", "2"), ("Program and arguments", " ".join(words)))


class AnyTerminal(Terminal):
    """A terminal that is not the one which controls this process."""

    @property
    def wrong(self) -> str | None:
        return None


class Typist:
    """A terminal of this process's own making, at which a thread types once a prompt is there."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.seen = b""
        self.read = 0
        self.interview = Interview(AnyTerminal(self.slave), Style())

    def types(self, *pairs: tuple[str, bytes]) -> threading.Thread:
        """Type each text once the words before it were seen."""

        def work() -> None:
            for prompt, keys in pairs:
                self.sees(prompt)
                os.write(self.master, keys)

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    def sees(self, words: str) -> None:
        """Read until these words came after those that were waited for before."""
        data = words.encode()
        while data not in self.seen[self.read :]:
            ready, _, _ = select.select([self.master], [], [], 10)
            assert ready, f"“{words}” never came"
            self.seen += os.read(self.master, 4096)
        self.read = self.seen.index(data, self.read) + len(data)

    def close(self) -> None:
        """Leave."""
        os.close(self.master)
        os.close(self.slave)

"""One JavaScript engine for all scripts of a test process, since starting one takes longer than running a script."""

import fcntl
import json
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sayso.testing.macos import osascript
from sayso.testing.macos.mac import first_tables

HERE = Path(__file__).parent


class GoneError(Exception):
    """The program that asked was ended, or the engine was."""


class Resident:
    """Answers calls of `osascript` at a socket, with one process of `jsc`."""

    def __init__(self, folder: Path) -> None:
        self.tables = first_tables()
        self.path = str(folder / "s")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        self._listening.listen()
        self._engine: subprocess.Popen[str] | None = None

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command that has a call answered here."""
        return (sys.executable, "-I", "-S", str(HERE / "client.py"), self.path)

    def serve(self) -> None:
        """Answer one call after the other, until the socket is closed."""
        while True:
            try:
                talk, _ = self._listening.accept()
            except OSError:
                return
            with talk, suppress(OSError):
                try:
                    talk.sendall(self._answer(talk))
                except GoneError:
                    self.end_engine()

    def close(self) -> None:
        """Stop answering."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.end_engine()

    def end_engine(self) -> None:
        """End the engine; the next call starts another one."""
        if self._engine is not None:
            self._engine.kill()
            self._engine.communicate()
            self._engine = None

    def _answer(self, talk: socket.socket) -> bytes:
        words = read_words(talk)
        at = next(number for number, word in enumerate(words) if word.endswith("osascript.py"))
        folder, arguments = Path(words[at + 1]), words[at + 2 :]
        language, scripts, rest = osascript.read_arguments(arguments)
        by_jsc = (folder / "engine").read_text() == "jsc" and (folder / "tables.json").read_text() == self.tables
        if language != "JavaScript" or not by_jsc:
            return b"self:"
        with (folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = json.loads((folder / "state.json").read_text())
            state["calls"].append(["osascript", *arguments])
            osascript.write_state(folder, state)
            answer = self._run({"state": state, "script": "\n".join(scripts), "argv": rest}, folder, talk)
            osascript.write_state(folder, answer["state"])
        return written(answer)

    def _run(self, data: dict[str, Any], folder: Path, talk: socket.socket) -> dict[str, Any]:
        asking, answering = self._pipes()
        answering.write(json.dumps(data) + "\n")
        answering.flush()
        for line in asking:
            asked: dict[str, Any] = json.loads(line)
            if "state" in asked:
                return asked
            if asked["ask"] == "sleep":
                # What the caller sends is only its end.
                if select.select([talk], [], [], asked["seconds"])[0]:
                    raise GoneError
                served: dict[str, Any] = {}
            else:
                served = osascript.serve(asked, folder)
            answering.write(json.dumps(served) + "\n")
            answering.flush()
        raise GoneError

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        if self._engine is None or self._engine.poll() is not None:
            self._engine = subprocess.Popen(
                ["jsc", str(HERE / "resident.js")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
            if self._engine.stdin is not None:
                self._engine.stdin.write(json.dumps({"body": osascript.body(), "tables": self.tables}) + "\n")
        if self._engine.stdout is None or self._engine.stdin is None:
            raise GoneError
        return self._engine.stdout, self._engine.stdin


def written(answer: dict[str, Any]) -> bytes:
    """Return the exit code, the output and the error of a call, as the client expects them."""
    code, output, error = osascript.result_of(answer)
    said = output.encode("utf-8", "surrogatepass")
    return b"%d:%d:%b%b" % (code, len(said), said, error.encode("utf-8", "surrogatepass"))


def read_words(talk: socket.socket) -> list[str]:
    """Return the words of a call."""
    data = b""
    while b":" not in data:
        data += _chunk(talk)
    size, _, data = data.partition(b":")
    while len(data) < int(size):
        data += _chunk(talk)
    words: list[str] = []
    while data:
        length, _, data = data.partition(b":")
        words.append(data[: int(length)].decode("utf-8", "surrogateescape"))
        data = data[int(length) :]
    return words


def _chunk(talk: socket.socket) -> bytes:
    found = talk.recv(65536)
    if not found:
        raise GoneError
    return found


@contextmanager
def resident() -> Generator[Resident]:
    """Have calls answered until the end."""
    with tempfile.TemporaryDirectory(prefix="mac-") as folder:
        made = Resident(Path(folder))
        thread = threading.Thread(target=made.serve, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            made.close()
            thread.join()

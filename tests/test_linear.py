"""Every function that reads a text of a model or of strangers takes time that grows with the text and no faster."""

import ast
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any, Self

import pytest

from sayso.assembly.parts import DIALECTS
from sayso.models.builtin.decide import MOST_PARTS
from sayso.models.builtin.replies import MOST_WORDS
from tests.foreign import FEW, MORE, ONE, READERS, SAMPLES, Reads, filled, starts
from tests.house import ROOT, python_files
from tools.trees import parsed

SIZE = 256
LONGER = {"Markdown on the terminal": 1024, "Markdown in pieces": 2048}
"""Sizes for readers that begin to show a text only after so many characters that the first doubling is no measure."""
GROWS = 2.3
"""How many times as much work the second doubling of a text may add at most as the first one."""
SLACK = 600
"""Lines of code that a reader may take more for any other reason, such as another message."""
BOUNDED = {"a wish": f"at most {MOST_WORDS} words are interpreted, in at most {MOST_PARTS} parts"}
"""Readers whose time is bounded by a limit, within which it may grow faster."""
MOST = 20_000_000
"""How many lines of code they may take."""
NOT_FOREIGN = {
    "assembly/actions.py": "cards of sayso's own",
    "assistant/qa.py": "names in operations",
    "assistant/triggers/schedule.py": "a setting of the person",
    "config/load.py": "messages of the TOML reader",
    "config/paths.py": "a file of the person's desktop",
    "core/card_contents.py": "previews of plans",
    "core/settings.py": "values of settings, of one short line",
    "journal/": "rows of sayso's own; single characters and escaped texts",
    "models/client.py": "one pattern of one character",
    "models/errors.py": "a word of at most 40 letters",
    "policy/grants.py": "addresses that were read already",
    "providers/accounts/dns.py": "a name of at most 255 bytes",
    "providers/browser/bidi/driver.py": "a settings file of a browser that sayso started",
    "providers/browser/cdp/driver.py": "the command line of a browser",
    "providers/browser/remote/connection.py": "two characters are looked for",
    "providers/browser/remote/launcher.py": "the target of a link, of at most 4,096 bytes",
    "providers/browser/remote/page_actions.py": "one character is looked for",
    "providers/calendar/event_texts.py": "an address of at most 320 characters",
    "providers/calendar/ical/serialize.py": "lines that were parsed already",
    "providers/calendar/vdir.py": "words without loops, and days",
    "providers/desktop/linux/sound.py": "the output of a program of the system",
    "providers/disk/denied_places.py": "files of the kernel",
    "providers/files/context.py": "one class of characters, in names of at most 255 bytes and in the person's wish",
    "providers/files/local/inspect.py": "names of files, of at most 255 bytes",
    "providers/files/local/sandbox.py": "files of the kernel",
    "providers/files/local/undo_store.py": "names of files, of at most 255 bytes",
    "providers/files/operations.py": "one character is looked for",
    "providers/macos/engine.py": "one number of at most nine digits, at the end of an error",
    "providers/mail/imap/client.py": "one line of the server, whose length is limited",
    "providers/mail/maildir/files.py": "names of files, of at most 255 bytes",
    "providers/mail/messages.py": "labels of at most 2,000 characters",
    "providers/mail/operations.py": "subjects of at most 2,000 characters",
    "providers/mail/query/imap_search.py": "queries of at most 2,000 characters",
    "providers/mail/smtp.py": "what sayso sends; its patterns are single characters",
    "providers/mail/store.py": "ids of at most 2,000 characters",
    "providers/mcp/definitions.py": "one class of characters, in a name of at most 64",
    "providers/mcp/keeper.py": "fixed words and at most 15 digits, at the beginning of what sayso itself wrote",
    "providers/programs/extras.py": "what the package of sayso itself needs",
    "providers/web/operations.py": "headers; their patterns are single loops",
    "surfaces/cli/app.py": "what the person types",
    "assembly/attachments.py": "what the person types",
    "surfaces/cli/chat/slash.py": "runs of one character, and single characters",
    "surfaces/cli/commands/": "what the person types",
    "surfaces/cli/editor.py": "words of editors, before each of which a word stands",
    "surfaces/cli/mail_account.py": "what the person types",
    "surfaces/cli/prompts.py": "what the person types",
    "surfaces/cli/proof.py": "a file of sayso's own",
    "surfaces/cli/self_test.py": "messages of sayso about things of its own",
    "templates/child/context.py": "names in the context of an action",
    "templates/protocol.py": "lines of a handler, whose patterns are single loops",
    "templates/runner.py": "messages of Python",
}
"""Modules and folders with patterns that no reader here reaches, and why: what they match, or which limit holds.

`tests/tools/test_backtracking.py` holds all patterns to linear time, also these.
"""


class Lines:
    """Counts the lines of code that run inside of a `with`, and remembers their files."""

    def __init__(self) -> None:
        self.count = 0
        self.files = set[str]()

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _enter(self, frame: FrameType, _event: str, _what: Any) -> Any:
        self.files.add(frame.f_code.co_filename)
        return self._step

    def _step(self, _frame: FrameType, event: str, _what: Any) -> Any:
        self.count += event == "line"
        return self._step


def lines(reads: Reads, text: str) -> int:
    """Return how many lines of code run while a text is read, which may be refused."""
    with Lines() as counted, suppress(Exception):
        reads(text)
    return counted.count


def tries(pieces: tuple[str, ...], reader: str) -> Iterator[tuple[str, str]]:
    """Yield starts and pieces of the texts that are tried on a reader."""
    return ((start, piece) for piece in pieces for start in starts(reader))


def test_every_dialect_and_every_module_with_patterns_is_read_with_or_has_its_reason():
    with Lines() as counted, suppress(Exception):
        for reads in READERS.values():
            for text in SAMPLES:
                with suppress(Exception):
                    reads(text)

    patterned = {
        str(file.relative_to(ROOT / "src" / "sayso"))
        for file in python_files(ROOT, "src")
        if any(
            isinstance(node, ast.Import) and node.names[0].name == "re" for node in ast.walk(parsed(file.read_text()))
        )
    }
    package = str(ROOT / "src" / "sayso")
    reached = {file.removeprefix(f"{package}/") for file in counted.files if file.startswith(package)}
    assert [one for one in sorted(patterned - reached) if not one.startswith((*NOT_FOREIGN,))] == []
    assert [one for one in NOT_FOREIGN if not any(name.startswith(one) for name in patterned - reached)] == []
    assert [name for name in DIALECTS if f"a reply in {name}" not in READERS] == []


def test_texts_are_composed_in_one_place_which_takes_linear_time():
    composing = [
        file.name
        for file in python_files(ROOT, "src")
        if "unicodedata.normalize" in (text := file.read_text()) or "import normalize" in text
    ]

    assert composing == ["normal_forms.py"]


@pytest.mark.parametrize("pieces", [FEW, pytest.param((*ONE, *MORE), marks=pytest.mark.thorough)], ids=["few", "all"])
@pytest.mark.parametrize("reader", READERS)
def test_reading_takes_work_that_grows_with_the_text_and_no_faster(reader: str, pieces: tuple[str, ...]):
    reads, size = READERS[reader], LONGER.get(reader, SIZE)

    for start, piece in tries(pieces, reader):
        lines(reads, filled(start, piece, len(piece) * 2))  # what is kept from one time to the next is there now
        few, more, most = (lines(reads, filled(start, piece, size * times)) for times in (1, 2, 4))
        first, second = more - few if more > few else more, most - more
        if reader in BOUNDED:
            assert max(few, more, most) < MOST, (start, piece)
        else:
            assert second <= GROWS * first + SLACK, (start, piece, few, more, most)


@pytest.mark.parametrize("reader", [name for name in READERS if name.startswith("a reply")])
def test_forty_thousand_tildes_and_ten_times_as_many_are_read_at_once(reader: str):
    # Who looks at the rest of them again from each one comes to the limit of every test.
    READERS[reader]("~" * (40_000 if reader.endswith("of 1") else 400_000))


LONG = 10_000
SHORTER = {"what a wish mentions": 4, "texts of a wish": 4}
"""Readers with much to do for each word, and what part of `LONG` they get."""
RATIO = 3.2
"""How many times as long twice the text may take; who looks at all of it from each place takes four times as long."""
LITTLE = 0.03


def seconds(reads: Reads, text: str) -> float:
    """Return the processor time of reading a text, of the best of three times."""
    found: list[float] = []
    for _ in range(3):
        before = time.thread_time()
        with suppress(Exception):
            reads(text)
        found.append(time.thread_time() - before)
    return min(found)


@pytest.mark.thorough
@pytest.mark.parametrize("reader", [name for name in READERS if name not in BOUNDED and not name.endswith(" of 1")])
def test_what_the_interpreter_does_for_a_line_of_code_grows_no_faster_either(reader: str):
    reads, size = READERS[reader], LONG // SHORTER.get(reader, 1)

    for piece in (*ONE, *MORE):
        more = seconds(reads, filled("", piece, 2 * size))
        if more > LITTLE:
            most = seconds(reads, filled("", piece, 4 * size))
            assert most <= RATIO * more, (piece, more, most)

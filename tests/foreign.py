"""Every function that reads texts of a model or of strangers, by name, and texts that are hard to read."""

import string
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

from sayso.assembly.parts import DIALECTS, dialect
from sayso.core import lookalikes
from sayso.core.conversation import ModelContext
from sayso.core.datetimes import read_when
from sayso.core.encoding import canonical
from sayso.core.normal_forms import normal_form
from sayso.core.operation import Problem
from sayso.core.quotes import QUOTED, visible
from sayso.core.sanitize import fence_data, harmless
from sayso.core.schema import is_blank, text_problem
from sayso.dialects.answers import AnsweringDialect
from sayso.dialects.detect import CHAT, find_dialect
from sayso.dialects.feedback import write_corrected
from sayso.dialects.json import correct_json, elements, strict_json, strip_fence
from sayso.dialects.suggestions import NameMeanings, is_slip, words
from sayso.models.builtin.mentions import find_mentions, time_said
from sayso.models.builtin.names import name_parts
from sayso.models.builtin.replies import interpret
from sayso.models.builtin.spans import find_spans
from sayso.models.builtin.tokens import tokenize
from sayso.models.builtin.world import Utterance, world_of
from sayso.policy.paths import normal
from sayso.providers.accounts.errors import why_not_let_in
from sayso.providers.browser.address import Rules, normalize
from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.parse import Resource, parse_calendar
from sayso.providers.calendar.ical.query import everybody_in, holds_uid
from sayso.providers.desktop_entries import parse_command
from sayso.providers.files.diff import added_lines
from sayso.providers.mail import mime
from sayso.providers.mail.addresses import read_addresses
from sayso.providers.mail.query.parser import QueryContext, parse, words_of
from sayso.providers.notes.folder import file_name, read_front
from sayso.providers.tasks.formats import read_ical, read_markdown
from sayso.surfaces.cli import text as cli
from sayso.surfaces.cli.chat.markdown import Look, MarkdownFlow
from sayso.templates.definition import read_template
from tests.dialects.replies import OPERATIONS

NOW = datetime(2031, 3, 4, 14, 30, tzinfo=UTC)
WORLD = world_of(ModelContext(()))
Reads = Callable[[str], object]


def in_pieces(name: str, size: int) -> Reads:
    """Return a function that reads a reply in a dialect, in pieces of this size; 0 is whole."""

    def reads(text: str) -> None:
        reader = (CHAT if name == "chat" else dialect(name)).reader(OPERATIONS)
        for at in range(0, len(text), size or len(text)):
            reader.feed(text[at : at + (size or len(text))])
        reader.close()

    return reads


PIECES = (0, 1, 64)
"""The sizes of the pieces in which replies are fed."""
BYTES: dict[str, Callable[[bytes], object]] = {
    "a mail": mime.parse_message,
    "the type of a mail": lambda data: mime.parse_message(b"Content-Type: text/plain; " + data),
    "the disposition of a mail": lambda data: mime.parse_message(b"Content-Disposition: attachment; " + data),
    "the head of a mail": mime.headers_of,
    "a field of a mail": mime.decode_field,
    "the addresses in a field": mime.addresses,
    "base64": mime.base64_of,
    "quoted printable": mime.decode_quoted_printable,
}
TEXTS: dict[str, Reads] = {
    "JSON": strict_json,
    "almost correct JSON": correct_json,
    "a list in JSON": lambda text: elements("[" + text.replace("]", "") + "]"),
    "a reply in a fence": strip_fence,
    "the dialect of a reply": lambda text: find_dialect(text, OPERATIONS),
    "words of a name": words,
    "a name that is near": NameMeanings(OPERATIONS).of,
    "a slip": lambda text: is_slip(text, "create_event"),
    "arguments": lambda text: OPERATIONS["calendar.create_event"].check({"title": text, "start": text, text: text}),
    "canonical JSON": lambda text: canonical({text: text}),
    "a date": read_when,
    "a blank text": is_blank,
    "a path": lambda text: (text_problem(text, "path"), normal(text, "/home/ada")),
    "a line": lambda text: text_problem(text, "line"),
    "data in a prompt": lambda text: (harmless(text), fence_data("notes", [text])),
    "a normal form": normal_form,
    "a text of a mail that is searched": words_of,
    "tokens of a wish": tokenize,
    "a wish": lambda text: interpret(Utterance(text, WORLD, NOW)),
    "what a wish mentions": lambda text: (
        time_said.cache_clear(),
        find_mentions(tokenize(text), Utterance(text, WORLD, NOW)),
    ),
    "texts of a wish": lambda text: find_spans("reminder.create", tokenize(text), ()),
    "a name of something there": name_parts,
    "a page as text": mime.text_of_html,
    "a text of a mail": lambda text: (mime.tidy(text), mime.one_line(text)),
    "addresses of mail": lambda text: read_addresses(text, "to"),
    "a query of mail": lambda text: parse(text, QueryContext(NOW, UTC)),
    "a calendar": lambda text: must_be_listable(parse_calendar(text), date(2031, 1, 1)),
    "people in a calendar": lambda text: everybody_in(Resource("a.ics", text, "e")),
    "an id in a calendar": lambda text: holds_uid(text, "an-id"),
    "a web address": lambda text: normalize(text, Rules()),
    "tasks in a calendar": read_ical,
    "tasks in Markdown": read_markdown,
    "the head of a note": read_front,
    "the title of a note": file_name,
    "a change of a file": added_lines,
    "a text on the terminal": lambda text: (
        cli.visible_lines(text),
        lookalikes.warnings(text),
        cli.block(text, 80, "  "),
    ),
    "quotes on the terminal": lambda text: (QUOTED.search(text), visible(text)),
    "a line on the terminal": lambda text: (cli.sentence(text, 80), cli.one_line(text, 80), cli.without_codes(text)),
    "Markdown on the terminal": lambda text: MarkdownFlow(Look(80)).add(f"{text}\n"),
    "Markdown in pieces": lambda text: [
        flow.add(text[at : at + 24]) for flow in (MarkdownFlow(Look(80)),) for at in range(0, len(text), 24)
    ],
    "what a server says": why_not_let_in,
    "a command of an application": lambda text: parse_command(text, {}),
    "the file of an action": lambda text: read_template("x.py", text, {}),
}


def corrected(name: str) -> Reads:
    """Return a function that looks for a correction of a reply in a dialect."""
    found = dialect(name)
    assert isinstance(found, AnsweringDialect)
    return lambda text: write_corrected(found, text, Problem("command.unknown", f"did you mean {text}?"), OPERATIONS)


def readers() -> Iterator[tuple[str, Reads]]:
    """Yield the name of each reader, and a function that reads a text with it; it may raise what readers raise."""
    for name in (*DIALECTS, *(() if "chat" in DIALECTS else ("chat",))):
        for size in PIECES:
            yield f"a reply in {name}, in pieces of {size}" if size else f"a reply in {name}", in_pieces(name, size)
        if name not in {"auto", "chat"}:
            yield f"a correction in {name}", corrected(name)
    yield from TEXTS.items()
    for name, reads in BYTES.items():
        yield name, lambda text, reads=reads: reads(text.encode("utf-8", "surrogatepass"))


READERS = dict(readers())

ONE = (*string.punctuation, *" \n\t\raA0", "\u0301", "\u05d0", "\u202e", "“", "”", "„", "\u3000", "\ud83d")
MORE = (
    "```\n", "~~~\n", "```json-action\n", "<<", "<<A ", 'A "', "A <<END\n", "'x' ", '"a ', '\\"', "{}", "[]", "}{",
    '{"a":', "[{", '{"a":[', '"a",', "“a ", "“a” ", "/* ", "// ", "a\n", "a ", "a b c. ", "\r\n", "\n\n\n",
    '{"type":"x"},', '{"name":"x","arguments":{', '{"actions":[', '{"commands":[', '"templateId":', "<a ", "<a href=",
    "</td>", "<!--", "<script>", "&lt;", "&", "=?", "=?utf-8?q?", "=?a?b?c?=", "a@", "a@b.", "a.", "-.", "(a ", "a:b ",
    "from:", "{a ", "NOT ", "a OR ", "-(", "BEGIN:VEVENT\n", "BEGIN:", 'X;Y="', ";a=b", "\n ", "RRULE:FREQ=DAILY\n",
    "- [ ] ", "- [ ] a\n", "  - ", "1. ", "# ", "> ", "---\n", "a: b\n", "--x\r\n", ";a*0=b", ';"',
    "Content-Type: multipart/mixed; boundary=x\n\n",
    "https://", "//", "../", "a/", "%2", "xn--", "\x1b[31m", "and then ", "open ", "“a” and ", "$(", "${a", "\\", "x=",
    "did you mean ",
)  # fmt: skip
BEFORE: dict[str, tuple[str, ...]] = {
    "a reply": (
        "", "```json-action\n", '```json\n{"actions":[{"templateId":"', '{"commands":[{"type":"',
        "NOTE_CREATE x <<END\n", 'SPEAK "', "SPEAK “",
    ),
    "a mail": (
        "", "Subject: ", "Content-Type: multipart/mixed; boundary=x\n\n--x\n", "Content-Type: text/html\n\n", "To: ",
    ),
    "a calendar": ("", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:", "BEGIN:VCALENDAR\nX;"),
    "the head of a note": ("", "---\n"),
}  # fmt: skip
"""What may stand before a text that is hard, so that it is read in another place; "" for all other readers."""
FEW = ("~", "`", '"', "\\", "{", " ", "\n", "a", "<", "“", '{"a":', "```\n", "a\n", "A <<END\n")
"""The texts of the first ring; the others are tried in the thorough one."""


SAMPLES = (
    "",
    "a@b.c",
    '{"a": "',
    "create an event called lunch with Ana tomorrow from 3 to 4 at the park, and open a@b.c",
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nDTSTART:20310304\nRRULE:FREQ=DAILY\nDURATION:P1D\nEND:VEVENT\nEND:VCALENDAR\n",
)
"""Texts with which each reader goes a little further than with a hard one."""


def starts(reader: str) -> tuple[str, ...]:
    """Return what may stand before a text for this reader."""
    return next((found for begins, found in BEFORE.items() if reader.startswith(begins)), ("",))


def filled(start: str, piece: str, size: int) -> str:
    """Return a text of about this size: a start, and then a piece again and again."""
    return start + piece * (size // len(piece))

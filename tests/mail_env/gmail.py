"""A server that speaks as much of IMAP as is said to Gmail, with its labels, and writes down what it heard.

It is made after what Google tells of X-GM-EXT-1; nothing here was ever tried on Gmail itself.
"""

import re
import socketserver
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedIOBase

INBOX, ALL = "INBOX", "[Gmail]/All Mail"
CAPABILITIES = "IMAP4rev1 AUTH=PLAIN X-GM-EXT-1 UIDPLUS MOVE NAMESPACE SPECIAL-USE LITERAL+"
LISTED = (
    '(\\HasNoChildren) "/" "INBOX"',
    '(\\All \\HasNoChildren) "/" "[Gmail]/All Mail"',
    '(\\Sent \\HasNoChildren) "/" "[Gmail]/Sent Mail"',
    '(\\Trash \\HasNoChildren) "/" "[Gmail]/Trash"',
    '(\\Junk \\HasNoChildren) "/" "[Gmail]/Spam"',
    '(\\Drafts \\HasNoChildren) "/" "[Gmail]/Drafts"',
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')
_SET = re.compile(r"[\d:,*]+")
_RAW = re.compile(r"[\d,]+")


@dataclass
class Mail:
    """One message, wherever it is shown."""

    number: int
    raw: bytes
    labels: set[str]
    flags: set[str] = field(default_factory=set[str])

    def uid(self, box: str) -> int:
        """Return what a mailbox calls it."""
        return self.number + (1000 if box == INBOX else 5000)

    @property
    def gmail(self) -> int:
        """Return Gmail's own number of it."""
        return 1278455344230334000 + self.number


class Gmail:
    """What there is, what was heard, and which queries in Gmail's language find which messages."""

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.heard: list[str] = []
        self.finds: dict[str, set[int]] = {}
        self.cuts = ""
        """After a command that begins so, the connection is cut without an answer."""
        self.port = 0

    def put(self, raw: bytes, *labels: str) -> Mail:
        """Deliver a message."""
        self.mails.append(Mail(len(self.mails) + 1, raw, set(labels)))
        return self.mails[-1]

    def said(self, word: str) -> list[str]:
        """Return the commands that hold a word."""
        return [line for line in self.heard if word in line]

    def shown(self, box: str) -> list[Mail]:
        """Return the messages of a mailbox."""
        return [one for one in self.mails if box == ALL or (box == INBOX and "\\Inbox" in one.labels)]


class Session:
    """One connection."""

    def __init__(self, gmail: Gmail, say: Callable[[bytes], object]) -> None:
        self._gmail = gmail
        self._say = say
        self._box = ""

    def answer(self, tag: str, words: list[str]) -> bool:
        """Answer a command; say whether the connection goes on."""
        command = " ".join(words)
        self._gmail.heard.append(command)
        name = " ".join(words[: 2 if words[0].upper() == "UID" else 1]).upper().replace(" ", "_")
        getattr(self, f"_{name.lower()}", self._nothing)(words)
        if self._gmail.cuts and command.startswith(self._gmail.cuts):
            self._gmail.cuts = ""
            return False
        self._line(f"{tag} OK done")
        return True

    def _line(self, text: str) -> None:
        self._say(text.encode() + b"\r\n")

    def _nothing(self, words: list[str]) -> None:
        """Do nothing: NOOP, LOGIN and the like."""

    def _capability(self, words: list[str]) -> None:
        self._line(f"* CAPABILITY {CAPABILITIES}")

    def _namespace(self, words: list[str]) -> None:
        self._line('* NAMESPACE (("" "/")) NIL NIL')

    def _list(self, words: list[str]) -> None:
        for one in LISTED:
            self._line(f"* LIST {one}")

    def _select(self, words: list[str]) -> None:
        self._box = words[1]
        self._line(f"* {len(self._gmail.shown(self._box))} EXISTS")
        self._line("* FLAGS (\\Answered \\Flagged \\Draft \\Deleted \\Seen)")
        self._line("* OK [PERMANENTFLAGS (\\Answered \\Flagged \\Draft \\Deleted \\Seen \\*)] fine")
        self._line("* OK [UIDVALIDITY 7] fine")

    _examine = _select

    def _uid_fetch(self, words: list[str]) -> None:
        what = " ".join(words[3:])
        for place, one in enumerate(self._gmail.shown(self._box), 1):
            if one.uid(self._box) in _numbers(words[2]):
                self._say(f"* {place} FETCH (UID {one.uid(self._box)}".encode())
                for piece in _pieces(one, what):
                    self._say(b" " + piece)
                self._say(b")\r\n")

    def _uid_store(self, words: list[str]) -> None:
        wanted = _numbers(words[2])
        there = [one for one in self._gmail.shown(self._box) if one.uid(self._box) in wanted]
        names = set(words[5:-1])
        for one in there:
            held = one.labels if "X-GM-LABELS" in words[3] else one.flags
            held.update(names) if words[3].startswith("+") else held.difference_update(names)

    def _uid_search(self, words: list[str]) -> None:
        key = words[4:] if words[2].upper() == "CHARSET" else words[2:]
        there = self._gmail.shown(self._box)
        holds = _all(iter(key), self._gmail)
        found = [one.uid(self._box) for place, one in enumerate(there, 1) if holds(place, one)]
        self._line(f"* SEARCH {' '.join(map(str, found))}")


Judge = Callable[[int, Mail], bool]


def _all(words: Iterator[str], gmail: Gmail) -> Judge:
    judges: list[Judge] = []
    for word in words:
        if word == ")":
            break
        judges.append(_one(word, words, gmail))
    return lambda place, mail: all(judge(place, mail) for judge in judges)


def _one(word: str, words: Iterator[str], gmail: Gmail) -> Judge:
    match word.upper():
        case "(":
            return _all(words, gmail)
        case "NOT":
            inner = _one(next(words), words, gmail)
            return lambda place, mail: not inner(place, mail)
        case "OR":
            one, two = _one(next(words), words, gmail), _one(next(words), words, gmail)
            return lambda place, mail: one(place, mail) or two(place, mail)
        case _ if _SET.fullmatch(word):
            places = _numbers(word)
            return lambda place, mail: place in places
        case _:
            return _of_one(word.upper(), words, gmail)


def _of_one(word: str, words: Iterator[str], gmail: Gmail) -> Judge:
    match word:
        case "X-GM-LABELS":
            label = next(words)
            return lambda place, mail: label.lower() in {one.lower() for one in mail.labels}
        case "X-GM-MSGID":
            number = int(next(words))
            return lambda place, mail: mail.gmail == number
        case "X-GM-RAW":
            found = gmail.finds[next(words)]
            return lambda place, mail: mail.number in found
        case "HEADER":
            _, value = next(words), next(words)
            return lambda place, mail: value.encode() in mail.raw
        case _:
            return lambda place, mail: True


def _pieces(one: Mail, what: str) -> Iterator[bytes]:
    body = one.raw.partition(b"\r\n\r\n")[2]
    plain = {
        "FLAGS": f"FLAGS ({' '.join(sorted(one.flags))})",
        "INTERNALDATE": f'INTERNALDATE "{one.number % 28 + 1:02}-Mar-2026 10:00:00 +0000"',
        "RFC822.SIZE": f"RFC822.SIZE {len(one.raw)}",
        "X-GM-MSGID": f"X-GM-MSGID {one.gmail}",
        "X-GM-LABELS": f"X-GM-LABELS ({' '.join(_quoted(label) for label in sorted(one.labels))})",
        "BODYSTRUCTURE": f'BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" {len(body)} 1 NIL NIL NIL)',
    }
    yield from (said.encode() for word, said in plain.items() if word in what)
    for name, data in (("HEADER.FIELDS", one.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"), ("1]", body)):
        if f"BODY.PEEK[{name}" in what:
            asked = what[what.index(f"BODY.PEEK[{name}") + 9 :].partition("]")[0]
            yield f"BODY{asked}] {{{len(data)}}}\r\n".encode() + data


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _numbers(said: str) -> set[int]:
    found: set[int] = set()
    for part in said.split(","):
        first, _, last = part.partition(":")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def _spoken(gmail: Gmail, lines: BufferedIOBase, say: Callable[[bytes], object]) -> None:
    session = Session(gmail, say)
    say(b"* OK Gimap ready\r\n")
    while words := _command(lines, say):
        if len(words) > 1 and words[1].upper() == "AUTHENTICATE":
            say(b"+ \r\n")
            lines.readline()
            words = words[:2]
        if not session.answer(words[0], words[1:]):
            return


def _command(lines: BufferedIOBase, say: Callable[[bytes], object]) -> list[str]:
    """Read one command with its literals; return its words, each text as it is meant."""
    words: list[str] = []
    while line := lines.readline().decode():
        literal = re.search(r"\{(\d+)(\+?)\}\r\n$", line)
        plain = line[: literal.start()] if literal else line
        words += [_meant(found) for found in _TOKEN.finditer(plain)]
        if literal is None:
            return words
        if not literal[2]:
            say(b"+ go\r\n")
        words.append(lines.read(int(literal[1])).decode())
    return []


def _meant(found: re.Match[str]) -> str:
    return re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[0]


@contextmanager
def gmail() -> Generator[Gmail]:
    """Give a server on a free port of this machine; it ends with the block."""
    made = Gmail()

    class Speaking(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            _spoken(made, self.rfile, self.wfile.write)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Speaking) as server:
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join(5)

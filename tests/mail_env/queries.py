"""Messages and queries drawn by chance, and which finds which: an oracle that shares no code with sayso.

A message is made from plain facts. A query is drawn as a tree: `text` writes it as a person would, `holds` judges it by
the facts.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from html import escape
from html.entities import codepoint2name
from random import Random
from zoneinfo import ZoneInfo

PEOPLE = [
    ("Ana Berg", "ana@example.test"),
    ("Sarah Chen", "sarah.chen@company.test"),
    ("Jürgen Groß", "juergen@bücher.example.test".replace("ü", "ue")),
    ("Мир Иванов", "mir@company.test"),
    ("東京 太郎", "taro@tokyo.example.test"),
    ("", "support@company.test"),
    ("O'Neill, Pat", "pat-oneill@example.test"),
]
ASCII = ["budget", "travel", "invoice", "report", "weekly", "update", "urgent", "plan", "lunch", "x9", "2024", "net"]
LATIN = ["grüße", "straße", "naïve", "ünal", "café", "ÄRGER", "El Niño"]
OTHER = {
    "koi8-r": ["привет", "МИР", "отчёт"],
    "shift_jis": ["東京", "報告書"],
    "iso-2022-jp": ["会議", "東京"],
    "gb18030": ["报告", "你好"],
    "windows-1251": ["Привет", "план"],
    "euc-kr": ["회의", "보고"],
    "iso-8859-7": ["καλημέρα", "νέα"],
}
LATIN_SETS = ["utf-8", "iso-8859-1", "windows-1252", "iso-8859-15"]
FILES = ["report.pdf", "invoice_2024.PDF", "grüße aus köln.docx", "plan-b.txt", "a very long name " * 6 + ".pdf", ""]
LABELS = ["urgent", "Team", "old-stuff"]
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Planted:
    """What a message was made from."""

    number: int
    mailbox: str
    sender: tuple[str, str]
    to: tuple[tuple[str, str], ...]
    cc: tuple[tuple[str, str], ...]
    bcc: tuple[tuple[str, str], ...]
    subject: str
    body: str
    charset: str
    markup: bool
    files: tuple[str, ...]
    came: datetime
    read: bool
    starred: bool
    labels: tuple[str, ...]
    raw: bytes = field(default=b"", repr=False)

    @property
    def message_id(self) -> str:
        """Return its Message-ID."""
        return f"<m{self.number}.{self.number % 7}@example.test>"


def messages(count: int, seed: int = 20260331) -> list[Planted]:
    """Return messages of many kinds, the same for the same seed."""
    random = Random(seed)
    return [planted(random, number) for number in range(count)]


def planted(random: Random, number: int) -> Planted:
    """Return a message of many kinds."""
    charset, words = _language(random)
    files = tuple(random.sample(FILES, random.choice([0, 0, 1, 2])))
    length = random.choice([3, 6, 20, 60])
    if number % 80 == 7:
        length = 3_000
    offset = timezone(timedelta(hours=random.choice([-11, -5, 0, 1, 9, 13])))
    came = NOW - timedelta(minutes=random.choice([60 * 24 * 10, 60 * 24 * 90, 60 * 24 * 900]) * random.random())
    made = Planted(
        number=number,
        mailbox=random.choice(["inbox", "inbox", "inbox", "archive", "sent", "trash"]),
        sender=random.choice(PEOPLE),
        to=tuple(random.sample(PEOPLE, random.choice([1, 1, 2]))),
        cc=tuple(random.sample(PEOPLE, random.choice([0, 0, 1]))),
        bcc=tuple(random.sample(PEOPLE, random.choice([0, 0, 0, 1]))),
        subject=" ".join(random.choices(words, k=random.choice([2, 3, 9]))),
        body="\n".join(" ".join(random.choices(words, k=8)) for _ in range(length)),
        charset=charset,
        markup=random.random() < 0.3,
        files=files,
        came=came.replace(microsecond=0).astimezone(offset),
        read=random.random() < 0.5,
        starred=random.random() < 0.3,
        labels=tuple(random.sample(LABELS, random.choice([0, 1, 2]))),
    )
    return _with_raw(random, made)


def _language(random: Random) -> tuple[str, list[str]]:
    kind = random.random()
    if kind < 0.4:
        return "us-ascii", ASCII
    if kind < 0.75:
        return random.choice(LATIN_SETS), [*ASCII, *LATIN]
    charset = random.choice(sorted(OTHER))
    return charset, [*ASCII[:6], *OTHER[charset], *OTHER[charset]]


def _with_raw(random: Random, made: Planted) -> Planted:
    message = EmailMessage(policy=SMTP)
    message["From"] = _address(made.sender)
    message["To"] = [_address(one) for one in made.to]
    for name, people in (("Cc", made.cc), ("Bcc", made.bcc)):
        if people:
            message[name] = [_address(one) for one in people]
    message["Subject"] = made.subject
    message["Date"] = made.came
    message["Message-ID"] = made.message_id
    encoding = random.choice(["base64", "quoted-printable"])
    body, kind = (_markup(random, made), "html") if made.markup else (made.body, "plain")
    message.set_content(body, subtype=kind, charset=made.charset, cte=encoding)
    for name in made.files:
        if name:
            message.add_attachment(b"%PDF" * 9, maintype="application", subtype="octet-stream", filename=name)
        else:
            message.add_attachment(b"%PDF" * 9, maintype="application", subtype="octet-stream")
    return replace(made, raw=message.as_bytes())


def _address(person: tuple[str, str]) -> Address:
    return Address(person[0], addr_spec=person[1])


def _markup(random: Random, made: Planted) -> str:
    """Return the body as HTML, in which some letters are written by their names or numbers."""
    spelled = escape(made.body)
    way = random.choice(["as they are", "names", "numbers"])
    if way != "as they are":
        spelled = "".join(one if one.isascii() else _entity(one, way) for one in spelled)
    return "<html><body><p>" + spelled.replace("\n", "</p>\n<p>") + "</p></body></html>"


def _entity(letter: str, way: str) -> str:
    name = codepoint2name.get(ord(letter))
    return f"&{name};" if name and way == "names" else f"&#{ord(letter)};"


ZONE = ZoneInfo("America/New_York")
ME = "ana@example.test"
Judge = Callable[[Planted], bool]


@dataclass(frozen=True)
class Drawn:
    """A query as text, what it says of a message, and the operators in it."""

    text: str
    holds: Judge
    operators: frozenset[str]
    single: bool = True


@cache
def words(text: str) -> tuple[str, ...]:
    """Return runs of letters and digits in composed lower case; each East Asian character is a word."""
    found: list[str] = []
    run = ""
    for letter in unicodedata.normalize("NFC", text).lower():
        name = unicodedata.name(letter, "")
        alone = name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"))
        if run and (alone or unicodedata.category(letter)[0] not in "LN"):
            found.append(run)
            run = ""
        if alone:
            found.append(letter)
        elif unicodedata.category(letter)[0] in "LN":
            run += letter
    return tuple([*found, run] if run else found)


@cache
def has(text: str, sought: tuple[str, ...]) -> bool:
    """Say whether the words follow each other in the text."""
    there = words(text)
    return any(there[at : at + len(sought)] == sought for at in range(len(there) - len(sought) + 1))


def people(message: Planted, field: str) -> Iterator[str]:
    """Yield the people of a field, each as name and address."""
    sets = {"from": (message.sender,), "cc": message.cc, "bcc": message.bcc}
    sets["to"] = (*message.to, *message.cc, *message.bcc)
    for name, address in sets[field]:
        yield f"{name} {address}"


def about(message: Planted) -> Iterator[str]:
    """Yield what a bare word is looked for in."""
    yield from (message.subject, message.body)
    yield from people(message, "from")
    yield from people(message, "to")


def queries(messages: list[Planted], count: int, seed: int = 7) -> Iterator[Drawn]:
    """Yield queries about these messages, the same for the same seed."""
    random = Random(seed)
    for _ in range(count):
        yield draw(random, messages)


def draw(random: Random, messages: list[Planted], depth: int = 2) -> Drawn:
    """Return a query, most of which are about something that is in some message."""
    way = random.random()
    if depth == 0 or way < 0.35:
        return _leaf(random, messages)
    if way < 0.5:
        return _negated(draw(random, messages, depth - 1))
    parts = [draw(random, messages, depth - 1) for _ in range(random.choice([2, 2, 3]))]
    return _joined(random, parts, "or" if way < 0.8 else "and")


def _negated(inner: Drawn) -> Drawn:
    text = f"-{inner.text}" if inner.single and not inner.text.startswith("-") else f"-({inner.text})"
    return Drawn(text, lambda one: not inner.holds(one), inner.operators | {"-"})


def _joined(random: Random, parts: list[Drawn], word: str) -> Drawn:
    operators = frozenset[str]().union(*(part.operators for part in parts))
    texts = [part.text if part.single else f"({part.text})" for part in parts]
    judges = [part.holds for part in parts]
    if word == "and":
        spelled = random.choice([" ", " AND "])
        inside = {"AND"} if "AND" in spelled else {" "}
        text, single = spelled.join(texts), False
        return Drawn(text, lambda one: all(holds(one) for holds in judges), operators | inside, single)
    way = random.choice(["OR", "{}", "()"])
    text = {"OR": " OR ".join(texts), "{}": "{" + " ".join(texts) + "}", "()": "(" + " OR ".join(texts) + ")"}[way]
    return Drawn(text, lambda one: any(holds(one) for holds in judges), operators | {way}, way != "OR")


def _leaf(random: Random, messages: list[Planted]) -> Drawn:
    kinds = [_people, _people, _subject, _word, _phrase, _flag, _place, _day, _day, _age, _size, _file, _id]
    return random.choice(kinds)(random, random.choice(messages))


def _leaf_of(operator: str, text: str, holds: Judge) -> Drawn:
    return Drawn(text, holds, frozenset({operator}))


def _people(random: Random, model: Planted) -> Drawn:
    field = random.choice(["from", "to", "cc", "bcc"])
    there = list(people(model, field)) or ["Ana Berg ana@example.test"]
    person = random.choice(there)
    name, _, address = person.rpartition(" ")
    ways = [address, address.partition("@")[0], f'"{name}"' if name.strip() else address]
    text = random.choice([*ways, "me"])
    sought = words(ME if text == "me" else text)
    return _leaf_of(field, f"{field}:{text}", lambda one: any(has(who, sought) for who in people(one, field)))


def _subject(random: Random, model: Planted) -> Drawn:
    there = words(model.subject)
    one, two = random.choice(there), " ".join(there[:2])
    if random.random() < 0.5:
        return _leaf_of("subject", f"subject:{one}", lambda letter: has(letter.subject, (one,)))
    sought = words(two)
    return _leaf_of("subject", f'subject:"{two}"', lambda letter: has(letter.subject, sought))


def _word(random: Random, model: Planted) -> Drawn:
    word = random.choice(words(model.body[:400]))
    spelled = random.choice([word, word.title() if word.isascii() else word])
    return _leaf_of("word", spelled, lambda one: any(has(text, (word,)) for text in about(one)))


def _phrase(random: Random, model: Planted) -> Drawn:
    there = words(model.body[:400])
    at = random.randrange(max(1, len(there) - 1))
    sought = there[at : at + 2]
    return _leaf_of('"', f'"{" ".join(sought)}"', lambda one: any(has(text, sought) for text in about(one)))


def _flag(random: Random, model: Planted) -> Drawn:
    word = random.choice(["unread", "read", "starred"])
    judges: dict[str, Judge] = {
        "unread": lambda one: not one.read,
        "read": lambda one: one.read,
        "starred": lambda one: one.starred,
    }
    return _leaf_of("is", f"is:{word}", judges[word])


def _place(random: Random, model: Planted) -> Drawn:
    if random.random() < 0.5:
        box = random.choice(["inbox", "archive", "sent"])
        return _leaf_of("in", f"in:{box}", lambda one: one.mailbox == box)
    label = random.choice(["urgent", "team", "old-stuff"])
    return _leaf_of("label", f"label:{label}", lambda one: label in {name.lower() for name in one.labels})


def _day(random: Random, model: Planted) -> Drawn:
    word = random.choice(["after", "newer", "before", "older"])
    day = model.came.astimezone(ZONE).date()
    edge = datetime(day.year, day.month, day.day, tzinfo=ZONE).astimezone(UTC)
    text = f"{word}:{day:%Y/%m/%d}"
    if word in {"after", "newer"}:
        return _leaf_of(word, text, lambda one: one.came >= edge)
    return _leaf_of(word, text, lambda one: one.came < edge)


def _age(random: Random, model: Planted) -> Drawn:
    word = random.choice(["newer_than", "older_than"])
    count, unit = random.choice([(1, "d"), (5, "d"), (45, "d"), (300, "d"), (1, "m"), (2, "m"), (1, "y"), (2, "y")])
    here = NOW.astimezone(ZONE)
    edge = {
        (1, "m"): datetime(2026, 2, 28, 8, tzinfo=ZONE),
        (2, "m"): datetime(2026, 1, 31, 8, tzinfo=ZONE),
        (1, "y"): datetime(2025, 3, 31, 8, tzinfo=ZONE),
        (2, "y"): datetime(2024, 3, 31, 8, tzinfo=ZONE),
    }.get((count, unit), here - timedelta(days=count))
    edge = edge.astimezone(UTC) if unit != "d" else NOW - timedelta(days=count)
    text = f"{word}:{count}{unit}"
    if word == "newer_than":
        return _leaf_of(word, text, lambda one: one.came >= edge)
    return _leaf_of(word, text, lambda one: one.came < edge)


def _size(random: Random, model: Planted) -> Drawn:
    word = random.choice(["larger", "smaller"])
    size, text = random.choice([(len(model.raw), str(len(model.raw))), (2048, "2K"), (1024, "1k"), (4096, "4096")])
    if word == "larger":
        return _leaf_of(word, f"larger:{text}", lambda one: len(one.raw) > size)
    return _leaf_of(word, f"smaller:{text}", lambda one: len(one.raw) < size)


def _file(random: Random, model: Planted) -> Drawn:
    if random.random() < 0.5:
        return _leaf_of("has", "has:attachment", lambda one: bool(one.files))
    word = random.choice(["pdf", "report", "2024", "köln", "plan-b.txt", "docx"])
    sought = words(word)
    return _leaf_of("filename", f"filename:{word}", lambda one: any(has(name, sought) for name in one.files))


def _id(random: Random, model: Planted) -> Drawn:
    text = model.message_id.strip("<>") if random.random() < 0.5 else model.message_id
    return _leaf_of("rfc822msgid", f"rfc822msgid:{text}", lambda one: one.message_id == model.message_id)

"""Messages that a mailbox is planted with, each made from plain facts that a test can judge by."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from html.entities import codepoint2name
from random import Random

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

"""Measure mail on a real server beside the bare commands that it comes down to, in a large mailbox."""

import imaplib
import os
import pwd
import shutil
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from statistics import median

import anyio

from bench.line import Gap, Line
from bench.size import Size
from sayso.core.ports import BackendContext
from sayso.providers.mail import MAIL
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.providers.mail.store import Criteria, DatedCriteria
from sayso.runtime.system import SystemClock
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial
from tests.desktop_env.session import NOBODY, Session
from tests.mail_env.dovecot import WORD, Accounts

ARCHIVING = "archiving a thousand of a hundred thousand messages in one step, beside the bare UID MOVE of as many"
LISTING = "the first page of that inbox, beside the bare SORT and FETCH of fifty"
SEARCHING = "searching it by sender, beside the bare SEARCH and FETCH of fifty"
MEMORY = "memory that archiving a thousand takes at its peak"
MANY = 3334
"""Messages for each of the size's `n`: 100,020 of them."""
PAGE = 50
_FIELDS = "(FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID FROM TO CC SUBJECT)])"


def measured(size: Size) -> list[Line | Gap]:
    """Plant a mailbox, list it, search it, and archive a hundredth of it."""
    if shutil.which("dovecot") is None:
        no = "there is no dovecot; tools/system-packages installs it"
        return [Gap(what, no) for what in (ARCHIVING, LISTING, SEARCHING, MEMORY)]
    session = Session(NOBODY)
    try:
        server = Accounts(session)
        person = server.person()
        plant(server, person, size.n * MANY)
        return anyio.run(_all, server, person, size)
    finally:
        session.close()


def plant(server: Accounts, person: str, count: int) -> None:
    """Put so many messages into an inbox, as files: the server takes them in when it is asked."""
    place = server.root(person) / "cur"
    owner = pwd.getpwnam(NOBODY) if os.geteuid() == 0 else None
    for number in range(count):
        file = place / f"{1_700_000_000 + number}.M{number}P1.host:2,{'S' if number % 5 else ''}"
        file.write_text(
            f"From: p{number % 97}@x.test\r\nTo: a@x.test\r\nSubject: Report {number}\r\n"
            f"Message-ID: <{number}@x.test>\r\n\r\n{'text ' * 60}\r\n"
        )
        came = 1_700_000_000 + number
        os.utime(file, (came, came))
        if owner is not None:
            os.chown(file, owner.pw_uid, owner.pw_gid)


async def _all(server: Accounts, person: str, size: Size) -> list[Line | Gap]:
    ground = BackendContext(
        {"host": "127.0.0.1", "port": server.port, "user": person}, "/nowhere", str(size.work), (), SystemClock(),
        NumberedIds(), environ={VARIABLE: WORD},
    )  # fmt: skip
    backend = build(ground)
    raw = server.signed_in(person)
    raw.select("INBOX")
    try:
        listing = await _beside(LISTING, lambda: backend.reads.inbox(PAGE, include_read=True), raw, "ALL", size)
        wanted = DatedCriteria(Criteria(sender="p13@", limit=PAGE))
        searching = await _beside(SEARCHING, lambda: backend.reads.search(wanted), raw, 'FROM "p13@"', size)
        return [listing, searching, *await _archiving(backend, raw, size)]
    finally:
        raw.logout()
        backend.close()


async def _beside(what: str, ours: Callable[[], Awaitable[object]], raw: imaplib.IMAP4, key: str, size: Size) -> Line:
    """Take turns, after one turn of each in which the server learns of the messages."""
    _raw_page(raw, key)
    await ours()
    times: list[tuple[float, float]] = []
    for _ in range(min(size.rounds, 5)):
        start = time.perf_counter()
        _raw_page(raw, key)
        between = time.perf_counter()
        await ours()
        times.append((between - start, time.perf_counter() - between))
    ratio = median(own / bare for bare, own in times)
    beside = f"{median(own for _, own in times) * 1000:.0f} ms, with the beginning of each text"
    return Line(
        what, ratio, 4.0, floor="a window of 80,000 messages is asked for alone, and texts are read too", beside=beside
    )


async def _archiving(backend: Imap, raw: imaplib.IMAP4, size: Size) -> list[Line | Gap]:
    some = max(10, size.n * MANY // 100)
    ratios: list[float] = []
    own = peak = 0.0
    for _ in range(3):
        messages = await backend.reads.inbox(500, include_read=True)
        first = int(messages[0].message_id.strip("<").partition("@")[0])
        ids = [f"<{number}@x.test>" for number in range(first - some + 1, first + 1)]
        trial = Trial(MAIL, backend)
        plan = await trial.plan("mail.archive", ids=ids)
        tracemalloc.start()
        start = time.perf_counter()
        await trial.do(plan)
        own = time.perf_counter() - start
        peak = max(peak, tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
        bare = _raw_move(raw, some)
        ratios.append(own / bare)
    beside = f"{some:,} messages in {own * 1000:.0f} ms"
    return [
        Line(ARCHIVING, median(ratios), 2.0, floor="each is looked at before", beside=beside),
        Line(MEMORY, peak, 16, unit="MiB", floor="what is known of a thousand messages"),
    ]


def _raw_page(raw: imaplib.IMAP4, key: str) -> None:
    _, found = raw.uid("SORT", "(REVERSE ARRIVAL)", "US-ASCII", key)
    newest = b",".join(found[0].split()[:PAGE]).decode()
    raw.uid("FETCH", newest, _FIELDS)


def _raw_move(raw: imaplib.IMAP4, count: int) -> float:
    """Move as many, the newest that are left; return the seconds."""
    raw.select("INBOX")
    _, found = raw.uid("SEARCH", "ALL")
    uids = found[0].split()[-count:]
    start = time.perf_counter()
    raw.uid("MOVE", f"{uids[0].decode()}:{uids[-1].decode()}", "Archive")
    return time.perf_counter() - start

"""The five examples in a real home: on an IMAP server and on a Maildir, sending by SMTP, asking a model over HTTP."""

import email
import os
import re
import shutil
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Protocol

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.actions import Acted, Actions, Wanted
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.record import State
from sayso.providers.mail.account import VARIABLE
from sayso.runtime.system import SystemClock
from sayso.testing.model_server import ModelServer, Status, playing
from tests.desktop_env.ports import free_port
from tests.journeys.ground import yes
from tests.journeys.test_actions import FOLDER, REMINDER
from tests.mail_env.dovecot import WORD, Accounts, accounts
from tests.mail_env.smtp import RecordingSmtp, smtp

NOW = SystemClock().now()
MAIL = """
[mail]
kind = "{kind}"
address = "me@company.com"
hold_seconds = 0
smtp_host = "127.0.0.1"
smtp_port = {smtp_port}
{more}

[model]
name = "openai-compatible:a-model"
url = "{url}"
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Accounts]:
    with accounts() as there:
        yield there


@dataclass
class World:
    """A person with real mail, a server that sends it, and a model that answers over HTTP."""

    place: Path
    root: Path
    """The Maildir in which the mail lies, whoever serves it."""
    settings: str
    post: RecordingSmtp
    model: ModelServer
    delivered: int = field(default=0)

    def deliver(self, sender: str, subject: str, hours: float, text: str = "Text", to: str = "me@company.com") -> str:
        """Put a message that came so many hours ago into the inbox, and return its id."""
        self.delivered += 1
        came, id_ = NOW - timedelta(hours=hours), f"<{self.delivered}@x.test>"
        letter = EmailMessage()
        for name, value in (("Message-ID", id_), ("From", sender), ("To", to), ("Subject", subject), ("Date", came)):
            letter[name] = value
        letter.set_content(text)
        file = self.root / "new" / f"{int(came.timestamp())}.M{self.delivered}P1.x"
        file.write_bytes(bytes(letter))
        file.chmod(0o666)
        os.utime(file, (came.timestamp(), came.timestamp()))
        return id_

    def ids(self, folder: str = "") -> dict[str, tuple[str, ...]]:
        """Return the messages that lie in the inbox, or a folder, with star and labels: read from the disk alone."""
        box = self.root / folder
        keywords = box / "dovecot-keywords"
        names = dict(line.split() for line in keywords.read_text().splitlines()) if keywords.exists() else {}
        found: dict[str, tuple[str, ...]] = {}
        for file in [*(box / "cur").glob("*"), *(box / "new").glob("*")]:
            flags = file.name.partition(":2,")[2]
            labels = [names[str(ord(flag) - ord("a"))] for flag in flags if flag.islower()]
            id_ = str(email.message_from_bytes(file.read_bytes(), policy=default)["Message-ID"])
            found[id_] = (*(["★"] if "F" in flags else []), *labels)
        return found

    @property
    def sent(self) -> Sequence[EmailMessage]:
        """Return the messages that came over the wire."""
        return [email.message_from_bytes(data, policy=default) for *_, data in self.post.accepted]

    @asynccontextmanager
    async def home(self) -> AsyncGenerator[Home]:
        """Open the home."""
        own = self.place / "own"
        if not own.exists():
            own.mkdir(mode=0o700)
            shutil.copytree(FOLDER, own / "actions")
            (own / "config.toml").write_text(self.settings)
        environ = {"HOME": str(self.place), "SAYSO_HOME": str(own), VARIABLE: WORD}
        async with sayso.open_home(environ=environ) as home:
            yield home

    async def run(self, id_: str, params: Mapping[str, Json] | None = None) -> Acted:
        """Run an action of a person who says yes."""
        async with self.home() as home:
            return await Actions(home).run(id_, params or {}, Wanted("session_x", approver=yes()))


class Worlds(Protocol):
    """Lays out a world whose model plays this; with `gone`, its mail server cannot be reached."""

    def __call__(self, *plays: str | Status, gone: bool = False) -> AbstractContextManager[World]: ...


IMAP = pytest.param("imap", marks=pytest.mark.needs("dovecot"))


@pytest.fixture(params=[IMAP, "maildir"])
def a_world(request: pytest.FixtureRequest, tmp_path: Path, server: Accounts) -> Worlds:
    """Return what lays out a world, once for each kind of mail."""

    @contextmanager
    def lay_out(*plays: str | Status, gone: bool = False) -> Generator[World]:
        if request.param == "imap":
            user = server.person()
            root = server.root(user)
            more = f'host = "127.0.0.1"\nport = {free_port() if gone else server.port}\nuser = "{user}"'
        else:
            root = tmp_path / "Mail"
            for folder in ("new", "cur", "tmp"):
                (root / folder).mkdir(parents=True)
            more = f'path = "{root}"'
        with smtp(login=request.param == "imap", word=WORD) as post, playing(*plays or ("In five parts.",)) as model:
            settings = MAIL.format(kind=request.param, smtp_port=post.port, more=more, url=model.url)
            yield World(tmp_path, root, settings, post, model)

    return lay_out


def states(acted: Acted) -> list[tuple[str | None, State]]:
    return [(one.record.operation, one.record.state) for one in acted.report.outcomes]


@pytest.mark.req("S3-05", "S3-43", "S3-93", "S3-94", "S3-116")
async def test_a_payment_reminder_comes_over_the_wire(a_world: Worlds):
    with a_world() as world:
        acted = await world.run("send_payment_reminder_acme", REMINDER)

        (sent,) = world.sent
        assert (sent["To"], sent["Subject"]) == (
            "accounts.payable@acmecorp.com", "Payment Reminder: Invoice INV-2024-001 - 15 Days Past Due",
        )  # fmt: skip
        assert "invoice INV-2024-001 over $5,000.00 was due on 2024-01-15 and is now 15 days past due." in " ".join(
            sent.get_content().split()
        )
        assert acted.result == {
            "success": True,
            "message": "Payment reminder sent to ACME Corp for INV-2024-001",
            "data": {"messageId": sent["Message-ID"], "invoiceNumber": "INV-2024-001"},
        }


@pytest.mark.req("S3-116")
async def test_a_payment_reminder_that_is_refused_is_not_said_to_be_sent(a_world: Worlds):
    with a_world() as world:
        world.post.answers["accounts.payable@acmecorp.com"] = "550 no such person"

        acted = await world.run("send_payment_reminder_acme", REMINDER)

        assert (acted.result["success"], world.sent) == (False, [])
        assert "no such person" in str(acted.result["message"])
        assert {one.became for one in acted.reports} <= {"not done"}


@pytest.mark.req("S3-34", "S3-39", "S3-96", "S3-97", "S3-116")
async def test_old_newsletters_leave_the_inbox_once(a_world: Worlds):
    with a_world() as world:
        empty = await world.run("archive_old_newsletters")
        old = {
            world.deliver("newsletter@techcrunch.com", "Old", 40 * 24),
            world.deliver("Crew <crew@morningbrew.com>", "Old", 50 * 24),
        }
        kept = {
            world.deliver("noreply@hackernewsletter.com", "New", 2 * 24),
            world.deliver("ana@example.org", "Old, and no newsletter", 90 * 24),
        }
        acted = await world.run("archive_old_newsletters")
        again = await world.run("archive_old_newsletters")

        assert {*world.ids()} == kept
        assert {*world.ids(".Archive")} == old
        said = [(one.result["message"], one.result["data"]) for one in (empty, acted)]
        sources = ["TechCrunch", "Morning Brew", "Hacker News"]
        assert said == [
            (f"Archived {count} newsletters older than 30 days", {
                "archivedCount": count, "daysOld": 30, "sources": sources,
            })
            for count in (0, 2)
        ]  # fmt: skip
        assert again.result["success"] is True
        assert {*world.ids(".Archive")} == old


@pytest.mark.req("S3-98", "S3-99", "S3-101", "S3-102", "S3-116")
async def test_what_the_ceo_wrote_is_summed_up_by_a_model_over_http(a_world: Worlds):
    with a_world("In five parts.") as world:
        empty = await world.run("summarize_ceo_weekly_updates")
        for week in (1, 2, 3):
            world.deliver("sarah.chen@company.com", f"Weekly Update {week}", (7 * week - 6) * 24, f"News {week}")
        world.deliver("sarah.chen@company.com", "Weekly Update", 40 * 24, "Too old")
        world.deliver("mallory@company.com", "Weekly Update", 24, "Of another")
        acted = await world.run("summarize_ceo_weekly_updates")
        async with world.home() as home:
            told = await home.journal.instances.said("session_x")

        assert empty.result == {"success": False, "message": "No CEO weekly updates found in the last 4 weeks"}
        (heard,) = world.model.heard
        prompt = str(heard.body)
        assert re.findall(r"News \d|Week \d", prompt) == ["Week 3", "News 1", "Week 2", "News 2", "Week 1", "News 3"]
        assert "2000" in re.findall(r"max_(?:completion_)?tokens'?\"?: (\d+)", prompt)
        assert ("Too old" in prompt, "Of another" in prompt) == (False, False)
        assert [one.content for one in told if one.role == "assistant"] == [
            "## CEO weekly updates of the last 4 weeks\n\nIn five parts."
        ]
        assert acted.result == {
            "success": True,
            "message": "Summarized 3 CEO weekly updates from the last 4 weeks",
            "data": {"summary": "In five parts.", "emailCount": 3, "weeksBack": 4},
        }


@pytest.mark.req("T-87", "S3-105", "S3-106", "S3-107", "S3-116")
async def test_what_cannot_wait_is_told_by_whole_words_exact_hours_and_the_end_of_the_address(a_world: Worlds):
    with a_world() as world:
        empty = await world.run("label_urgent_customer_support")

        def support(sender: str, subject: str, hours: float, text: str = "Text") -> str:
            return world.deliver(sender, subject, hours, text, "support@company.com")

        urgent = {
            support("bo@example.org", "Site DOWN", 0.2),
            support("bo@example.org", "Login", 5, "It is\nnot\nworking!"),
            support("bo@example.org", "Security breach?", 29.5),
        }
        vip = {support("Cy <cy@bigclient.com>", "A question", 0.3), support("di@Fortune500.com", "Hello", 1)}
        support("bo@example.org", "Where is the download?", 0.4, "A countdown, and asapnet.")
        support("bo@example.org", "An insurgent", 0.5, "Uncritical. Brokenhearted. Touchdown.")
        support("ed@bigclient.com.example.org", "A question", 0.6)
        support("cy@bigclient.com <ed@notbigclient.com>", "A question", 0.7)
        support("bo@example.org", "URGENT", 30.5)
        world.deliver("bo@example.org", "URGENT", 1)
        acted = await world.run("label_urgent_customer_support", {"hoursBack": 30})
        again = await world.run("label_urgent_customer_support", {"hoursBack": 30})

        marked = {id_ for id_, marks in world.ids().items() if marks}
        assert marked == urgent | vip
        assert {marks for id_, marks in world.ids().items() if id_ in urgent | vip} == {("★", "URGENT")}
        assert (empty.result["message"], acted.result["data"]) == (
            "No urgent support emails found", {"totalChecked": 9, "urgentFound": 5, "vipCount": 2},
        )  # fmt: skip
        assert acted.result["message"] == "🚨 Labeled 5 urgent support emails (2 from VIP customers)"
        assert {state for operation, state in states(again) if operation != "notify.show"} == {State.UNCHANGED}


BUG: Mapping[str, Json] = {"priority": "P1 - High", "affectedFeature": "Checkout", "reproducible": True}


@pytest.mark.req("S3-109", "S3-110", "S3-111", "S3-112", "S3-116")
async def test_a_bug_report_goes_to_engineering_with_what_the_model_wrote(a_world: Worlds):
    with a_world("1. Click *Pay*.") as world:
        id_ = world.deliver("Bo <bo@example.org>", "Cannot pay", 3, "It says error 5.")
        missing = await world.run("forward_bugs_to_engineering", {**BUG, "emailId": "<none@x.test>"})
        acted = await world.run("forward_bugs_to_engineering", {**BUG, "emailId": id_})

        assert missing.result == {"success": False, "message": "Bug report email not found"}
        (heard,), (sent,) = world.model.heard, world.sent
        assert "Subject: Cannot pay" in str(heard.body)
        assert (sent["To"], sent["Subject"]) == (
            "engineering@company.com", "[P1 - High] Bug Report: Checkout - Cannot pay",
        )  # fmt: skip
        for words in ("Reproducible: Yes", "1. Click *Pay*.", "It says error 5.", "#eng-bugs", "bo@example.org"):
            assert words in sent.get_content()
        assert world.ids()[id_] == ("FORWARDED_TO_ENG",)
        assert acted.result == {
            "success": True,
            "message": "Bug report forwarded to engineering team with P1 - High priority",
            "data": {"priority": "P1 - High", "affectedFeature": "Checkout", "originalSender": "Bo <bo@example.org>"},
        }


@pytest.mark.req("S3-95", "S3-100", "S3-103", "S3-104", "S3-108")
@pytest.mark.parametrize("a_world", ["maildir"], indirect=True)
async def test_what_is_left_out_has_its_default(a_world: Worlds):
    with a_world("Found.") as world:
        support = [world.deliver("bo@example.org", "URGENT", hours, to="support@company.com") for hours in (23.5, 24.5)]
        bug = {"emailId": support[0], "priority": "P3 - Low", "affectedFeature": "Login"}
        archived = await world.run("archive_old_newsletters")
        summed = await world.run("summarize_ceo_weekly_updates")
        labelled = await world.run("label_urgent_customer_support")
        await world.run("label_urgent_customer_support", {"hoursBack": 30})
        await world.run("forward_bugs_to_engineering", bug)
        async with world.home() as home:
            queries = [one.arguments["query"] for one in await home.log() if one.operation == "mail.query"]

        assert archived.result["message"] == "Archived 0 newsletters older than 30 days"
        assert summed.result == {"success": False, "message": "No CEO weekly updates found in the last 4 weeks"}
        assert labelled.result["data"] == {"totalChecked": 1, "urgentFound": 1, "vipCount": 0}
        assert [one for one in reversed(queries) if "support" in str(one)] == [
            f"to:support@company.com newer_than:{days}d" for days in (1, 2)
        ]
        assert "Reproducible: Unknown" in world.sent[0].get_content()


@pytest.mark.req("S3-92")
@pytest.mark.parametrize("name", ["invoiceNumber", "amount", "dueDate", "daysPastDue"])
@pytest.mark.parametrize("a_world", ["maildir"], indirect=True)
async def test_a_payment_reminder_without_one_of_its_parameters_sends_nothing(a_world: Worlds, name: str):
    with a_world() as world:
        with pytest.raises(SetupError, match=f"Invalid parameters: .*{name}"):
            await world.run("send_payment_reminder_acme", {one: REMINDER[one] for one in REMINDER if one != name})

        assert world.sent == []


@pytest.mark.req("S3-102", "S3-112", "S3-116")
@pytest.mark.parametrize(
    ("id_", "params", "says"),
    [
        ("summarize_ceo_weekly_updates", {}, "Failed to generate summary: "),
        ("forward_bugs_to_engineering", {**BUG, "emailId": "<1@x.test>"}, "Failed to forward bug report: "),
    ],
)
async def test_a_model_that_refuses_is_named_and_nothing_is_done(
    a_world: Worlds, id_: str, params: Mapping[str, Json], says: str
):
    with a_world(Status(401)) as world:
        world.deliver("sarah.chen@company.com", "Weekly Update", 24)

        acted = await world.run(id_, params)

        assert str(acted.result["message"]).startswith(says)
        assert (states(acted), world.sent, world.ids()) == ([], [], {"<1@x.test>": ()})


@pytest.mark.req("S3-97", "S3-102", "S3-107", "S3-112", "S3-116")
@pytest.mark.parametrize(
    ("id_", "params", "says"),
    [
        ("archive_old_newsletters", {}, "Failed to archive newsletters: "),
        ("summarize_ceo_weekly_updates", {}, "Failed to generate summary: "),
        ("label_urgent_customer_support", {}, "Failed to label urgent emails: "),
        ("forward_bugs_to_engineering", {**BUG, "emailId": "<1@x.test>"}, "Failed to forward bug report: "),
    ],
)
@pytest.mark.parametrize("a_world", [IMAP], indirect=True)
async def test_mail_that_cannot_be_reached_is_named(a_world: Worlds, id_: str, params: Mapping[str, Json], says: str):
    with a_world(gone=True) as world:
        acted = await world.run(id_, params)

        assert str(acted.result["message"]).startswith(says)
        assert (states(acted), world.sent, world.model.heard) == ([], [], [])

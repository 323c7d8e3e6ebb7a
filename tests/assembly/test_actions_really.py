"""The person's own actions keep what the specification of S3 says of them, also in a home that stays open."""

import json
import os
import stat
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.actions import Acted, Actions, Wanted
from sayso.assembly.instances import Offers
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.questions import Client
from sayso.templates.messages import ActionInstances, encode, wire_instance
from sayso.testing.fakes import FakeClock
from sayso.testing.model_server import playing
from tests.journeys.ground import yes
from tests.templates.actions import CONFIG

REMINDS = """
config = {
    "id": "@ID@", "name": "Remind ACME of its invoice", "description": "Reminds.",
    "parameterSchema": {"type": "object", "properties": {
        "invoice": {"type": "string", "description": "Its number, such as INV-1."},
        "days": {"type": "number", "description": "How late it is, such as 15.", "default": 30},
    }, "required": ["invoice"]},
}


async def handler(params, context):
    await context.create_reminder(f"{params['invoice']}, {params['days']} days", due="2030-01-01 10:00")
    return {"success": True, "message": "Reminded", "data": {"of": params["invoice"], "in": context.session_id}}
"""


@pytest.fixture
def home(empty_home: Home) -> Home:
    (empty_home.settings.places.actions / "remind.py").write_text(REMINDS.replace("@ID@", "remind_acme_of_invoice"))
    return empty_home


async def ran(home: Home, id_: str = "remind_acme_of_invoice", **params: Json) -> Acted:
    return await Actions(home).run(id_, params, Wanted("session_x", Client(lambda question: True)))


def logged(home: Home) -> list[Mapping[str, Json]]:
    """Return the lines of the log files, as any program reads them."""
    files = sorted(home.settings.places.logs.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


@pytest.mark.req("S3-03", "S3-26", "S3-27", "S3-31", "T-88")
@pytest.mark.parametrize("id_", ["remind_acme_of_invoice", "send_email"])
async def test_an_action_runs_under_the_id_of_its_config_however_specific_that_is(id_: str, home: Home):
    (home.settings.places.actions / "remind.py").write_text(REMINDS.replace("@ID@", id_))
    acted = await ran(home, id_, invoice="INV-1")

    data = {"of": "INV-1", "in": "session_x"}
    assert acted.result == {"success": True, "message": "Reminded", "data": data}
    assert [one.arguments["title"] for one in await home.log()] == ["INV-1, 30 days"]


@pytest.mark.req("S3-54", "S3-68", "S3-16", "X-15")
async def test_the_folder_of_the_log_is_made_for_the_person_alone(home: Home, tmp_path: Path):
    before = home.settings.places.logs.exists()
    await ran(home, invoice="INV-1")
    await ran(home, invoice="INV-2")

    (file,) = home.settings.places.logs.iterdir()
    assert (before, file.parent, file.name) == (False, tmp_path / "own" / ".logs" / "actions", "2026-03-14.jsonl")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (file.parent, file)] == [0o700, 0o600]
    assert [one["params"] for one in logged(home)] == [{"invoice": f"INV-{n}", "days": 30} for n in (1, 2)]


@pytest.mark.req("S3-67", "S3-30", "T-80")
async def test_what_is_logged_as_its_duration_goes_from_the_call_to_the_result(home: Home, clock: FakeClock):
    def late(question: object) -> bool:
        clock.advance(seconds=1.25)
        return True

    (home.settings.places.config).write_text('[policy]\nmode = "always"\n')
    acted = await Actions(home).run("remind_acme_of_invoice", {"invoice": "A"}, Wanted("session_x", Client(late)))

    (line,) = logged(home)
    names = ["timestamp", "instanceId", "templateId", "sessionId", "params", "result", "duration", "error"]
    assert list(line) == names
    assert (line["duration"], line["error"], line["instanceId"]) == (1250, None, acted.instance)
    assert line["timestamp"] == "2026-03-14T12:00:00.000Z"


@pytest.mark.req("S3-20", "S3-21", "S3-22", "S3-19", "S3-25")
async def test_an_offer_has_the_models_words_unchanged_and_its_own_parameters(home: Home):
    label, more = "Remind “ACME” of INV-1 ⏰", "15 days late"
    row = {"templateId": "remind_acme_of_invoice", "label": label, "description": more, "params": {"invoice": "INV-1"}}
    await home.run(json.dumps({"actions": [row]}), "auto", session="session_x")

    (made,) = await home.chats.all()
    told = json.loads(encode(ActionInstances([wire_instance(made)], made.session)))["actions"][0]
    assert (told["label"], told["description"], told["templateId"]) == (label, more, row["templateId"])
    assert told["params"] == {"invoice": "INV-1", "days": 30}
    assert told["createdAt"] == "2026-03-14T12:00:00.000Z"
    assert (told["style"], told["sessionId"]) == ("primary", "session_x")


@pytest.mark.req("S3-115", "S3-63", "T-78")
async def test_what_cannot_be_run_is_told_with_what_can_be_done(home: Home):
    told: list[str] = []
    for id_, params in (("remind_acme", {"invoice": "A"}), ("remind_acme_of_invoice", {"invoise": "A"})):
        with pytest.raises(SetupError) as refused:
            await ran(home, id_, **params)
        told.append(str(refused.value))
    (home.settings.places.actions / "remind.py").unlink()
    with pytest.raises(SetupError) as refused:
        await ran(home, invoice="A")

    assert told[0] == 'Template "remind_acme" not found. Available templates: remind_acme_of_invoice'
    assert told[1].startswith("Invalid parameters: ")
    assert all(word in told[1] for word in ("invoise", "“invoice”"))
    assert str(refused.value) == 'Template "remind_acme_of_invoice" not found. Available templates: none'


@pytest.mark.req("S3-114", "S3-61", "S3-72", "T-75")
async def test_an_offer_goes_by_itself_once_it_is_older_than_an_hour_while_the_home_is_used(
    home: Home, clock: FakeClock
):
    offers = Offers(home)
    template = offers.library.get("remind_acme_of_invoice")
    asked = Proposal(0, "", "template.run", {"invoice": "A"}, template_id=template.id)
    made = await offers.make(template, asked, Origin("actions", "chat", "session_x"))
    found: list[bool] = []
    for minutes in (0, 60, 5):  # it looks every five minutes
        clock.advance(minutes=minutes)
        await home.run("TASK_LIST")
        found.append(await home.chats.find(made.id, "session_x") is not None)

    assert found == [True, True, False]


READS = """
config = {
    "id": "read_mail", "name": "Read mail", "description": "Reads.",
    "parameterSchema": {"type": "object", "properties": {}},
}
FIELDS = ("message_id", "from_address", "subject", "body_text", "received_at")


async def handler(params, context):
    api = context.emailAPI
    ids = lambda found: [one.message_id for one in found]
    all_ids = ["<1@x>", "<none@x>", "<3@x>"]
    data = {
        "inbox": ids(await api.getInbox()),
        "unread": ids(await api.getInbox({"includeRead": False, "limit": 2})),
        "both": ids(await api.searchEmails({"from": "ana@x.test", "subject": "plan"})),
        "some": ids(await api.getEmailsByIds(all_ids)),
        "none": await api.getEmailById("<none@x>"),
        "one": {name: (await api.getEmailById("<1@x>"))[name] for name in FIELDS},
    }
    return {"success": True, "message": "Read", "data": data}
"""
LETTERS = [("ana", "The plan", "S"), ("ana", "Lunch", ""), ("bo", "A plan", ""), ("bo", "News", "")]


@pytest.mark.req("S3-32", "S3-36", "S3-37", "S3-38", "T-93")
async def test_a_handler_reads_the_mail_that_lies_on_the_disk(home: Home, tmp_path: Path):
    for folder in ("cur", "new", "tmp"):
        (tmp_path / "Mail" / folder).mkdir(parents=True)
    for number, (sender, subject, flags) in enumerate(LETTERS, 1):
        head = f"Message-ID: <{number}@x>\nFrom: {sender}@x.test\nSubject: {subject}\n\nText {number}\n"
        file = tmp_path / "Mail" / "cur" / f"{number}.M1.x:2,{flags}"
        file.write_text(head)
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    home.settings.places.config.write_text(f'[mail]\nkind = "maildir"\npath = "{tmp_path}/Mail"\n')
    (home.settings.places.actions / "read-mail.py").write_text(READS)
    async with sayso.open_home(str(home.settings.places.home), environ={"HOME": str(tmp_path)}) as opened:
        data = (await ran(opened, "read_mail")).result["data"]

    assert data == {
        "inbox": ["<4@x>", "<3@x>", "<2@x>", "<1@x>"],
        "unread": ["<4@x>", "<3@x>"],
        "both": ["<1@x>"],
        "some": ["<1@x>", "<3@x>"],
        "none": None,
        "one": {
            "message_id": "<1@x>", "from_address": "ana@x.test", "subject": "The plan", "body_text": "Text 1\n",
            "received_at": "2023-11-14T22:13:21Z",
        },
    }  # fmt: skip


@pytest.mark.req("S3-14", "S3-15", "S3-64", "T-77")
@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ({"invoice": "A", "days": 15}, ""),
        ({"invoice": "A", "days": 15, "tone": "firm"}, ""),
        ({"invoice": "A", "days": "15"}, "“days”"),
        ({"invoice": "A", "days": True}, "“days”"),
        ({"invoice": "A", "tone": "rude"}, "“tone”"),
        ({"days": 15}, "“invoice”"),
        ({"invoice": "A", "more": 1}, "“more”"),
    ],
)
async def test_only_what_fits_the_schema_reaches_the_handler(params: dict[str, Json], wrong: str, home: Home):
    tone = '"tone": {"type": "string", "description": "How.", "enum": ["kind", "firm"]},\n        "days"'
    text = REMINDS.replace("@ID@", "remind").replace('"days"', tone, 1)
    (home.settings.places.actions / "remind.py").write_text(text)
    said = ""
    with suppress(SetupError):
        assert (await ran(home, "remind", **params)).result["success"]
        said = "ran"
    if wrong:
        with pytest.raises(SetupError, match=f"Invalid parameters: .*{wrong}"):
            await ran(home, "remind", **params)

    assert (said, len(await home.log())) == (("", 0) if wrong else ("ran", 1))


BODY = "\n\ndef handler(params, context):\n    return {'success': True, 'message': 'ok'}\n"
SECRET = CONFIG.replace('"properties": {}', '"properties": {"word": {"type": "string", "secret": True}}') + BODY


def opened(place: Path, settings: str = "") -> AbstractAsyncContextManager[Home]:
    own = place / "own"
    (own / "actions").mkdir(parents=True, exist_ok=True)
    own.chmod(0o700)
    (own / "config.toml").write_text(settings)
    return sayso.open_home(str(own), environ={"HOME": str(place)})


@pytest.mark.req("S3-85", "S3-60")
async def test_the_next_prompt_lists_an_action_that_came_and_none_that_is_broken(tmp_path: Path):
    file = tmp_path / "own" / "actions" / "tidy-up.py"
    with playing("Hello") as server:
        async with opened(tmp_path, f'[model]\nname = "openai-compatible:tiny"\nurl = "{server.url}"\n') as home:
            await home.ask("hello", "chat")
            file.write_text(CONFIG + BODY)
            await home.ask("hello", "chat")
            listed = str((await home.run("TEMPLATE_LIST")).outcomes[0].data)
            file.write_text("config = {")
            await home.ask("hello", "chat")

    assert ["Tidies up." in str(heard.body) for heard in server.heard] == [False, True, False]
    assert "'tidy'" in listed


@pytest.mark.req("T-79", "T-92")
async def test_an_action_that_is_withdrawn_while_it_is_offered_is_logged_without_what_was_secret(tmp_path: Path):
    async with opened(tmp_path) as home:
        file = home.settings.places.actions / "tidy-up.py"
        file.write_text(SECRET)
        offers = Offers(home)
        template = offers.library.get("tidy")
        proposal = Proposal(0, "", "template.run", {"word": "hunter2"}, instance_id="act_1", template_id="tidy")
        instance = await offers.make(template, proposal, Origin("actions", "chat", "session_x"))
        file.unlink()

        done = await offers.execute(instance, Wanted("session_x", yes()))
        kept = "".join(one.read_text() for one in home.settings.places.logs.iterdir())

    assert 'Template "tidy" not found' in str(done.result["message"])
    assert ("hunter2" in kept, '"instanceId":"act_1"' in kept) == (False, True)

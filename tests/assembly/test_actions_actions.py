"""A handler says what it wants done, and that goes down the one path: shown whole, asked, done, taken back."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import sayso
from sayso.assembly import Home, actions
from sayso.assembly.actions import Acted, Actions, Wanted
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.grant import Wish
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.journal.instances import SqliteInstances
from sayso.runtime.questions import Client
from sayso.runtime.results import Report
from sayso.templates import child
from sayso.templates.runner import HandlerLimits, HandlerRun

YES, NO = Client(lambda question: True), Client(lambda question: False)
MEMORY = "".join(f'[{section}]\nkind = "memory"\n' for section in ("desktop", "mail", "calendar", "notes", "talk"))
MESSAGES = ", ".join(
    f'{{message_id = "<{n}@x>", from_address = "a@x.org", subject = "No {n}", received_at = "2026-03-01T10:0{n}:00Z"}}'
    for n in range(3)
)
WORLD = f'[talk.world]\nreplies = ["forty-two"]\n[mail.world]\nmessages = [{MESSAGES}]\n'
CONFIG = """
config = {
    "id": "tidy", "name": "Tidy up", "description": "Tidies up.",
    "parameterSchema": {"type": "object", "properties": {"word": {"type": "string", "default": "a"}}},
}
"""


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    own = tmp_path / "own"
    (own / "actions").mkdir(parents=True)
    (own / "config.toml").write_text(MEMORY + WORLD)
    (tmp_path / "Documents").mkdir()
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as opened:
        yield opened


def written(home: Home, handler: str) -> None:
    """Make the one action of the person's."""
    (home.settings.places.actions / "tidy-up-mail.py").write_text(CONFIG + handler, "utf-8")


async def acted(home: Home, handler: str, params: Mapping[str, Json] | None = None, **wanted: Any) -> Acted:
    """Write an action and run it; the person says yes unless told otherwise."""
    written(home, handler)
    return await Actions(home).run("tidy", params or {}, replace(Wanted(approver=YES), **wanted))


ARCHIVES = """
async def handler(params, context):
    found = await context.emailAPI.getInbox({"limit": 50})
    for message in found:
        await context.archive_email(message.message_id)
    return {"success": True, "message": f"Archived {len(found)}", "data": {"n": len(found)}, "refreshInbox": True}
"""


@pytest.mark.req("S3-26", "S3-27", "S3-29", "S3-32", "S3-39")
async def test_single_calls_that_follow_each_other_are_one_action(home: Home):
    result = await acted(home, ARCHIVES)

    (outcome,) = result.report.outcomes
    count = 3
    assert outcome.record.arguments["ids"] == ["<2@x>", "<1@x>", "<0@x>"]
    assert (outcome.record.operation, outcome.record.state) == ("mail.archive", State.DONE)
    assert result.result == {
        "success": True, "message": f"Archived {count}", "data": {"n": count}, "refreshInbox": True,
    }  # fmt: skip
    left = await acted(home, ARCHIVES)
    assert (left.report.outcomes, left.result["message"]) == ((), "Archived 0")


async def test_all_of_it_is_shown_before_anything_is_done_and_a_no_does_none_of_it(home: Home):
    asked: list[Question] = []

    class Looks:
        async def ask(self, question: Question) -> Decision | None:
            asked.append(question)
            return await NO.ask(question)

    handler = """
def handler(params, context):
    ids = [m["message_id"] for m in context.email_api.get_inbox(limit=2)]
    context.archive_emails(ids)
    context.create_reminder("Look again", due="2030-01-01 10:00")
    return {"success": True, "message": "ok"}
"""
    result = await acted(home, handler, approver=Looks())

    ((first, second),) = [question.cards for question in asked]
    assert (first.operation, second.operation) == ("mail.archive", "reminder.create")
    assert [one.record.state for one in result.report.outcomes] == [State.DECLINED, State.DECLINED]
    assert result.result["success"] is False
    assert "2 of 2 steps did not happen: you said no" in str(result.result["message"])


async def test_a_dry_run_shows_the_plan_and_does_and_logs_nothing(home: Home):
    result = await acted(home, ARCHIVES, dry_run=True)

    (outcome,) = result.report.outcomes
    assert (outcome.record.state, result.result["success"]) == (State.PLANNED, True)
    assert Actions(home).read_log("tidy") == []


async def test_without_anybody_to_ask_all_of_it_waits_and_is_carried_out_when_approved(home: Home):
    result = await acted(home, ARCHIVES, approver=None)
    report = await home.approve(result.report.run, YES)

    assert f"it waits for your decision; sayso approve {result.report.run}" in str(result.result["message"])
    assert [one.record.state for one in report.outcomes] == [State.DONE]


@pytest.mark.req("TP-04", "TO-02", "CR-06")
@pytest.mark.parametrize("change", ["edited", "helper", "deleted"])
async def test_what_waits_is_void_once_the_code_that_asked_for_it_has_changed(change: str, home: Home):
    result = await acted(home, ARCHIVES, approver=None)
    file = home.settings.places.actions / "tidy-up-mail.py"
    match change:
        case "edited":
            file.write_text(file.read_text("utf-8") + "\n# other\n", "utf-8")
        case "helper":
            (file.parent / "_helper.py").write_text("A = 1\n")
        case _:
            file.unlink()

    report = await home.approve(result.report.run, YES)

    (outcome,) = report.outcomes
    assert (outcome.record.state, outcome.record.marks.code) == (State.REFUSED, "template.changed")


@pytest.mark.req("TP-04")
async def test_the_code_is_held_also_while_the_question_stands_there(home: Home):
    class Edits:
        async def ask(self, question: Question) -> Decision | None:
            written(home, ARCHIVES + "# changed while the question was there\n")
            return await YES.ask(question)

    result = await acted(home, ARCHIVES, approver=Edits())

    (outcome,) = result.report.outcomes
    assert (outcome.record.state, outcome.record.marks.code) == (State.REFUSED, "template.changed")


async def test_what_the_person_makes_of_a_waiting_plan_is_warned_of_alike_and_told_in_the_same_order(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for file in Path(child.__file__).parent.glob("*.py"):
        text = file.read_text("utf-8").replace("_CREATE, _ADD, _RESTRICT = 444", "_CREATE, _ADD, _RESTRICT = 9444")
        (tmp_path / file.name).write_text(text, "utf-8")
    monkeypatch.setattr(child, "__file__", str(tmp_path / "__init__.py"))
    home.settings.places.config.write_text(
        '[policy]\nmode = "always"\n[actions]\nallow_uncontained = true\n' + MEMORY + WORLD
    )
    asked: list[Question] = []
    edited = [
        Proposal(0, "", "mail.archive", {"ids": ["<1@x>"]}),
        Proposal(1, "", "notify.show", {"title": "sayso", "message": "archived"}),
    ]

    def edit_once(question: Question) -> Decision | bool:
        asked.append(question)
        return question.edit("client", edited) if len(asked) == 1 else True

    async with sayso.open_home(str(home.settings.places.home), environ={"HOME": str(tmp_path)}) as opened:
        waits = await acted(opened, REPORTS, approver=None)
        report = await opened.approve(waits.report.run, Client(edit_once))

    (edit,) = report.edits
    assert [one.record.state for one in edit.outcomes] == [State.DONE, State.DONE]
    assert [one.record.reports for one in edit.outcomes] == [False, True]
    assert all("ran uncontained" in card.plan.warns[-1] for question in asked for card in question.cards)
    assert len(asked) == 2


@pytest.mark.parametrize("waived", [False, True])
async def test_an_uncontained_handler_runs_only_if_the_person_says_so_and_every_question_names_it(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, waived: bool
):
    for file in Path(child.__file__).parent.glob("*.py"):
        text = file.read_text("utf-8").replace("_CREATE, _ADD, _RESTRICT = 444", "_CREATE, _ADD, _RESTRICT = 9444")
        (tmp_path / file.name).write_text(text, "utf-8")
    monkeypatch.setattr(child, "__file__", str(tmp_path / "__init__.py"))
    (home.settings.places.config).write_text(
        f'[policy]\nmode = "always"\n[actions]\nallow_uncontained = {str(waived).lower()}\n' + MEMORY + WORLD
    )
    asked: list[Question] = []
    handler = """
async def handler(params, context):
    await context.call_agent(prompt="how much?")
    await context.archive_email("<1@x>")
    return {"success": True, "message": "ok"}
"""
    async with sayso.open_home(str(home.settings.places.home), environ={"HOME": str(tmp_path)}) as opened:
        result = await acted(opened, handler, approver=Client(lambda question: asked.append(question) or True))

    warned = [card.plan.warns[-1] for question in asked for card in question.cards]
    if waived:
        assert result.result == {"success": True, "message": "ok"}
        assert [line.partition("):")[0] for line in warned] == [
            "This action's handler ran uncontained (actions.allow_uncontained"
        ] * 2
    else:
        assert (warned, result.report.outcomes) == ([], ())
        assert "its handler was not run, because nothing on this computer stops it" in str(result.result["message"])
        assert "sayso config set actions.allow_uncontained true" in str(result.result["message"])


@pytest.mark.req("AV-11")
async def test_a_standing_permission_is_for_the_code_that_it_was_given_to(home: Home):
    (home.settings.places.config).write_text('[policy]\nmode = "always"\n' + MEMORY)
    handler = """
def handler(params, context):
    context.create_reminder("Call Ana", due="2030-01-01 10:00")
    return {"success": True, "message": "ok"}
"""
    done = await acted(home, handler)
    offer = await home.grants.offer(Wish(done.report.outcomes[0].record.id, ()))
    await home.grants.give(offer, Decision(True, "terminal", offer.digest))

    same = await acted(home, handler, approver=None)
    changed = await acted(home, handler + "# changed\n", approver=None)
    wish = Proposal(0, "", "reminder.create", {"title": "Call Ana", "due": "2030-01-01 10:00"})
    by_a_model = await home.take([wish], Origin("commands", "cli"))

    assert [one.record.state for one in same.report.outcomes] == [State.DONE]
    assert [one.record.state for one in changed.report.outcomes] == [State.WAITING]
    assert by_a_model.outcomes[0].record.state is State.WAITING


async def test_the_digest_is_of_the_code_too(home: Home):
    first = await acted(home, ARCHIVES, dry_run=True)
    same = await acted(home, ARCHIVES, dry_run=True)
    other = await acted(home, ARCHIVES + "# other\n", dry_run=True)

    assert first.report.outcomes[0].record.code_hash == same.report.outcomes[0].record.code_hash
    assert first.report.outcomes[0].record.code_hash != other.report.outcomes[0].record.code_hash
    assert first.report.outcomes[0].record.digest != other.report.outcomes[0].record.digest


@pytest.mark.req("S3-43", "S3-31")
async def test_what_an_effect_leaves_is_put_into_the_result_once_it_is_known(home: Home):
    handler = """
async def handler(params, context):
    sent = await context.sendEmail({"to": "ana@example.org", "subject": "Hi", "body": "Text", "replyTo": "b@x.org"})
    return {"success": True, "message": f"Sent {sent.messageId}", "data": {"messageId": sent.message_id,
            "session": context.sessionId}}
"""
    result = await acted(home, handler, session="session_xyz")

    (outcome,) = result.report.outcomes
    id_ = outcome.data["message_id"] if outcome.data else json.dumps(outcome.record.plan)
    assert (outcome.record.operation, outcome.record.state) == ("mail.send", State.DONE)
    assert result.result["data"] == {"messageId": id_, "session": "session_xyz"}
    assert result.result["message"] == f"Sent {id_}"
    assert outcome.record.session == "session_xyz"


async def test_what_an_effect_leaves_cannot_go_into_another(home: Home):
    handler = """
async def handler(params, context):
    sent = await context.send_email(to="ana@example.org", subject="Hi", body="Text")
    await context.add_label(sent.message_id, "SENT")
    return {"success": True, "message": "ok"}
"""
    result = await acted(home, handler)

    assert result.report.outcomes == ()
    assert "known only once it is done" in str(result.result["message"])


@pytest.mark.req("S3-44")
async def test_a_call_of_the_model_has_what_the_handler_gave_it(home: Home):
    handler = """
async def handler(params, context):
    text = await context.call_agent({"prompt": "how much?", "systemPrompt": "Be short.", "tools": [], "maxTokens": 10})
    return {"success": True, "message": text}
"""
    result = await acted(home, handler)
    (call,) = await home.log(RecordQuery(operation="agent.call"))

    assert result.result["message"] == "forty-two"
    assert call.state is State.DONE
    assert call.arguments == {"prompt": "how much?", "system_prompt": "Be short.", "tools": [], "max_tokens": 10}


@pytest.mark.req("S3-18", "S3-24")
async def test_each_run_has_an_id_of_its_own_and_belongs_to_the_session_that_it_was_asked_in(home: Home):
    handler = """
def handler(params, context):
    context.archive_emails([m.message_id for m in context.email_api.get_inbox(limit=1)])
    return {"success": True, "message": context.sessionId}
"""
    first = await acted(home, handler, session="session_xyz")
    second = await acted(home, handler, session="session_xyz")

    ids = [first.instance, second.instance]
    assert [re.fullmatch(r"act_\w{6,}", one) is not None for one in ids] == [True, True]
    assert len(set(ids)) == 2
    assert [run.entry.instance_id for run in Actions(home).read_log("tidy")] == ids[::-1]
    assert {run.entry.session_id for run in Actions(home).read_log("tidy")} == {"session_xyz"}
    assert first.result["message"] == "session_xyz"
    assert {one.record.session for one in first.report.outcomes} == {"session_xyz"}


@pytest.mark.req("S3-33")
async def test_a_search_by_criteria_finds_the_messages_that_meet_all_of_them(tmp_path: Path):
    own, box = tmp_path / "own", tmp_path / "Mail"
    (own / "actions").mkdir(parents=True)
    for folder in ("cur", "new", "tmp"):
        (box / folder).mkdir(parents=True)
    for number, (sender, subject) in enumerate([("ana@x.org", "Rent"), ("ana@x.org", "Tea"), ("bo@x.org", "Rent")]):
        text = (
            f"Message-ID: <{number}@x>\nFrom: {sender}\nSubject: {subject}\nDate: Mon, 02 Mar 2026 10:00:00 +0000\n\n"
        )
        (box / "new" / f"177244560{number}.M1P{number}.x").write_text(text)
    (own / "config.toml").write_text(f'[mail]\nkind = "maildir"\npath = "{box}"\n')
    handler = """
def handler(params, context):
    api = context.emailAPI
    asked = [{"from": "ana@x.org"}, {"from": "ana@x.org", "subject": "Rent"}, {"from": "none@x.org"}]
    found = [sorted(m.message_id for m in api.searchEmails(one)) for one in asked]
    return {"success": True, "message": "ok", "data": {"found": found}}
"""
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as home:
        result = await acted(home, handler)

    assert result.result["data"] == {"found": [["<0@x>", "<1@x>"], ["<0@x>"], []]}


@pytest.mark.req("S3-44")
async def test_a_call_of_the_model_is_asked_about_by_itself_and_answered(home: Home):
    handler = """
async def handler(params, context):
    text = await context.call_agent({"prompt": "how much?", "maxTokens": 10})
    return {"success": True, "message": text}
"""
    preview = await acted(home, handler, dry_run=True)
    nobody = await acted(home, handler, approver=None)
    result = await acted(home, handler)

    assert result.result == {"success": True, "message": "forty-two"}
    assert preview.result["message"] == "⟨known only when it is run⟩"
    assert "nobody could be asked" in str(nobody.result["message"])
    assert await home.pending() == []


@pytest.mark.req("S3-66", "S3-30", "S3-68", "S3-06", "T-80")
async def test_a_handler_that_fails_does_nothing_and_is_logged(home: Home):
    handler = """
def handler(params, context):
    context.archive_emails([m.message_id for m in context.email_api.get_inbox()])
    raise RuntimeError("boom")
"""
    failed = await acted(home, handler)
    fine = await acted(home, "\ndef handler(p, c):\n    return {'success': True, 'message': 'ok'}\n")

    (newest, older) = [run.entry for run in Actions(home).read_log("tidy")]
    assert failed.result == {"success": False, "message": "Action failed: boom"}
    assert failed.report.outcomes == ()
    assert (older.error, older.result["success"], older.params) == ("boom", False, {"word": "a"})
    assert (newest.error, newest.instance_id) == (None, fine.instance)
    assert older.instance_id.startswith("act_")


SAYS = """
def handler(params, context):
    context.log(f"looked at {params['word']}")
    context.log("few are left", "warn")
    context.email_api.get_inbox(limit=1)
    return {"success": True, "message": f"Seen {params['word']}", "data": {"word": params["word"]}}
"""


@pytest.mark.req("S3-48", "S3-65", "S3-06")
async def test_what_a_handler_says_is_kept_in_order_after_the_line_that_it_begins(home: Home):
    ran = await acted(home, SAYS)
    await acted(home, SAYS, dry_run=True)

    (run,) = Actions(home).read_log("tidy")
    assert [(one.level, one.text) for one in run.lines] == [
        ("info", "Executing action: Tidy up"), ("info", "looked at a"), ("warn", "few are left"),
    ]  # fmt: skip
    assert (run.label, run.entry.instance_id) == ("Tidy up", ran.instance)
    assert (await home.journal.verify()).ok


@pytest.mark.req("S3-65")
async def test_it_is_written_that_it_begins_before_the_handler_is_called(home: Home, monkeypatch: pytest.MonkeyPatch):
    there: list[str] = []

    async def instead(*given: Any) -> HandlerRun:
        there.extend(line.content for line in await home.journal.instances.logged())
        return HandlerRun(None, "boom")

    monkeypatch.setattr(actions, "run_handler", instead)
    await acted(home, SAYS)

    assert there == ["Executing action: Tidy up"]
    (run,) = Actions(home).read_log("tidy")
    assert [(one.level, one.text) for one in run.said] == [("error", "boom")]


@pytest.mark.req("T-79", "S3-64")
async def test_parameters_that_are_refused_are_logged_and_nothing_is_run(home: Home):
    with pytest.raises(SetupError, match="Invalid parameters: “word” must be a text") as refused:
        await acted(home, SAYS, {"word": 5})

    (run,) = Actions(home).read_log("tidy")
    assert (run.entry.error, run.entry.params, run.entry.duration) == (str(refused.value), {"word": 5}, 0)
    assert run.entry.result == {"success": False, "message": str(refused.value)}
    assert [(one.level, one.text) for one in run.lines] == [("error", str(refused.value))]


@pytest.mark.req("T-92")
async def test_what_a_secret_parameter_held_is_in_no_log_in_any_form(home: Home):
    secret = CONFIG.replace('"default": "a"', '"secret": True') + SAYS.replace("params['word']", "params['word'][::-1]")
    (home.settings.places.actions / "tidy-up-mail.py").write_text(secret, "utf-8")
    for word in ("hunter2hunter2", 5):
        with suppress(SetupError):
            await Actions(home).run("tidy", {"word": word}, Wanted(approver=YES))

    kept = "".join(file.read_text() for file in home.settings.places.logs.iterdir())
    lines = [line.content for line in await home.journal.instances.logged()]
    assert len(Actions(home).read_log("tidy")) == 2
    for text in (kept, *lines):
        assert not {word for word in ("hunter2", "2retnuh", "5") if f" {word}" in text or f'"{word}' in text}


@pytest.mark.req("S3-69")
async def test_a_journal_that_cannot_be_written_to_stops_no_action(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def full(*given: Any) -> None:
        raise SetupError("the disk is full", "journal.full")

    monkeypatch.setattr(SqliteInstances, "say_all", full)
    ran = await acted(home, SAYS)

    assert ran.result["success"] is True
    assert "could not be kept: the disk is full" in caplog.text


async def test_a_handler_that_says_it_failed_has_nothing_done(home: Home):
    handler = """
def handler(params, context):
    context.archive_emails([m.message_id for m in context.email_api.get_inbox()])
    return {"success": False, "message": "No updates found"}
"""
    result = await acted(home, handler)

    assert (result.result, result.report.outcomes) == ({"success": False, "message": "No updates found"}, ())


REPORTS = """
async def handler(params, context):
    context.notify("archived 1", type="success")
    context.log("archived 1")
    context.log("one was not found", "error")
    context.archive_email("<0@x>")
    return {"success": True, "message": "archived 1", "data": {"archived": 1}}
"""


@pytest.mark.parametrize(
    ("who", "became", "state"),
    [(YES, "done", State.DONE), (NO, "not done", State.DECLINED), (None, "waiting", State.WAITING)],
)
@pytest.mark.parametrize("mode", ["always", "destructive"])
async def test_nothing_is_reported_as_done_before_it_is(
    home: Home, who: Client | None, became: str, state: State, mode: str
):
    home.settings.places.config.write_text(f'[policy]\nmode = "{mode}"\n' + MEMORY + WORLD)

    result = await acted(home, REPORTS, approver=who)

    rows = [(one.record.operation, one.record.state) for one in result.report.outcomes]
    assert rows == [("mail.archive", state), ("notify.show", state)]
    assert [(one.level, one.became) for one in result.reports] == [("info", became), ("error", "done")]
    assert (result.result["message"] == "archived 1") == (state is State.DONE)
    assert ("data" in result.result) == (state is State.DONE)


async def test_what_nobody_knows_is_not_said_to_have_failed(home: Home, monkeypatch: pytest.MonkeyPatch):
    take = home.take

    async def break_off(*given: Any, **more: Any) -> Report:
        report = await take(*given, **more)
        lost, *rest = report.outcomes
        marked = lost.record.marked(state=State.UNKNOWN, error="the connection broke off")
        return replace(report, outcomes=(replace(lost, record=marked), *rest))

    monkeypatch.setattr(home, "take", break_off)

    result = await acted(home, REPORTS)

    assert result.result["message"] == "nobody knows whether 1 of 2 steps happened: the connection broke off"
    assert result.reports[0].became == "unknown"


async def test_a_report_is_not_told_without_what_it_speaks_of(home: Home):
    result = await acted(home, REPORTS, approver=None)
    archive, report = [one.record.id for one in result.report.outcomes]

    with pytest.raises(sayso.ProposalError, match="needs step 1 of its run, which still waits"):
        await home.approve(report, YES)
    await home.decline(archive)
    after = await home.approve(report, YES)

    assert [one.record.state for one in after.outcomes] == [State.SKIPPED]


async def test_a_report_is_not_told_if_the_person_left_out_what_it_speaks_of(home: Home):
    leaves_out = Client(lambda question: question.yes("client", [question.cards[1].id]))

    result = await acted(home, REPORTS, approver=leaves_out)

    states = [one.record.state for one in result.report.outcomes]
    assert states == [State.DECLINED, State.SKIPPED]
    assert result.reports[0].became == "not done"


@pytest.mark.parametrize(
    ("handler", "became"),
    [
        (REPORTS.replace('"<0@x>"', '"<nobody@nowhere>"'), "not done"),
        (REPORTS.replace('"success": True', '"success": False'), "not done"),
        (REPORTS.replace("return {", "raise RuntimeError({").replace("}}", "}})"), "not done"),
    ],
)
async def test_what_a_handler_reports_is_not_so_if_its_requests_came_to_nothing(home: Home, handler: str, became: str):
    result = await acted(home, handler)

    assert [(one.level, one.became) for one in result.reports] == [("info", became), ("error", "done")]
    assert State.DONE not in {one.record.state for one in result.report.outcomes}


async def test_a_preview_reports_what_is_planned(home: Home):
    result = await acted(home, REPORTS, dry_run=True)

    assert [one.became for one in result.reports] == ["planned", "done"]


async def test_where_one_effect_cannot_be_nothing_is_done(home: Home):
    handler = """
def handler(params, context):
    context.archive_emails([m.message_id for m in context.email_api.get_inbox()])
    context.star_email("<nobody@nowhere>")
    return {"success": True, "message": "ok"}
"""
    result = await acted(home, handler)

    assert [one.record.state for one in result.report.outcomes] == [State.SKIPPED, State.FAILED]
    assert result.result["success"] is False


@pytest.mark.req("S3-63", "S3-64", "S3-16", "TP-02", "TP-03")
@pytest.mark.parametrize(
    ("id_", "params", "sentence"),
    [
        ("../../x", {}, 'Template "../../x" not found. Available templates: tidy'),
        ("Tidy", {}, 'Template "Tidy" not found. Available templates: tidy'),
        ("/etc/passwd", {}, "not found"),
        ("tidy", {"word": 1}, "Invalid parameters: “word” must be a text"),
        ("tidy", {"other": 1}, "Invalid parameters: “other” is not a parameter of it; it takes word"),
        ("tidy", {"word": None}, "“word” must be a text, not null; it may be left out"),
    ],
)
async def test_what_is_not_there_or_does_not_fit_runs_nothing(
    id_: str, params: Mapping[str, Json], sentence: str, home: Home
):
    written(home, ARCHIVES)

    with pytest.raises(sayso.SetupError) as wrong:
        await Actions(home).run(id_, params, Wanted(approver=YES))

    assert sentence in str(wrong.value)
    assert await home.log(RecordQuery()) == []


@pytest.mark.req("TP-01")
async def test_values_are_text_and_are_expanded_nowhere(home: Home):
    word = "{0.__class__} {{7*7}} %(x)s $(id) `id`"
    handler = "\ndef handler(params, context):\n    return {'success': True, 'message': params['word']}\n"

    result = await acted(home, handler, {"word": word})

    assert result.result["message"] == word


async def test_a_handler_that_does_not_end_is_ended(home: Home):
    result = await acted(home, "\ndef handler(p, c):\n    while True: pass\n", bounds=HandlerLimits(seconds=0.5))

    assert result.result["message"] == "Action failed: it did not end within 0.5 seconds and was stopped"

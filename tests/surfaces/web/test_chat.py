"""A person talks on the page: replies stream to every window, what was said stays, and no words count twice."""

import json
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from threading import Event

import anyio
import pytest

import sayso
from sayso.assembly.entry import begin_exchange, keep_part
from sayso.core.conversation import Exchange, ReplyText
from sayso.runtime.services import STOPPING, StopSign
from sayso.surfaces.web.changes import MOST_UNSENT, Listener
from sayso.surfaces.web.markdown import Blocks, html_of
from sayso.surfaces.web.messages import Sent
from sayso.surfaces.web.replies import Reply
from sayso.testing.fakes import Silent
from sayso.testing.model_server import Pause
from tests.counted import Calls
from tests.web_env.chatting import Chatting, chatting, letting_in


@pytest.fixture(scope="module")
async def page(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Chatting]:
    async with chatting(tmp_path_factory.mktemp("chat")) as made:
        yield made


def offers(*tasks: str) -> str:
    """Return a reply that proposes to add these tasks."""
    blocks = [f'```json-action\n{{"type": "add_task", "text": "{task}", "label": "Note"}}\n```' for task in tasks]
    return "\n\n".join(["I can do **that**.", *blocks, "Say so."])


@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
async def test_what_the_first_wishes_say_that_comes_of_them_is_so_in_every_mode(page: Chatting, mode: str):
    page.settings(f'[policy]\nmode = "{mode}"\n')
    states: dict[str, set[str]] = {}
    for wish in (await page.get("/api/wishes"))["wishes"]:
        session = await page.begin()
        await page.say(session, wish["text"])
        found = await page.ended(session)
        rows = [one["row"] for message in found["messages"] for one in message.get("outcomes", [])]
        states.setdefault(wish["does"].partition(";")[0].partition(",")[0], set()).update(one["state"] for one in rows)
        for one in rows:
            if one["state"] == "waiting":
                await page.home.decline(one["id"])
    page.settings("")

    at_once = states.pop("is shown first" if mode == "always" else "is done at once")
    assert at_once <= ({"waiting", "unchanged"} if mode == "always" else {"done", "unchanged"})
    assert states == {"shows a button first": {"waiting"}, "only looks": {"done"}}


async def test_a_reply_streams_to_every_window_of_the_conversation_and_to_no_other(page: Chatting):
    session, other, going_on = await page.begin(), await page.begin(), Event()
    reply = [ReplyText("Hello **you**.\n\n"), Pause(going_on), ReplyText("Second part.\n")]

    with page.model(reply):
        async with page.socket(session) as one, page.socket(session) as two, page.socket(other) as third:
            sent = await page.say(session, "Hi")
            message = sent.json()["message"]
            first = [await told.until("assistant_delta") for told in (one, two)]
            while_it_goes_on = await page.session(session)
            going_on.set()
            for told in (one, two, third):
                await told.until("session", status="idle")

    assert sent.status_code == 202
    assert [told["from"] for told in first] == [0, 0]
    assert (while_it_goes_on["status"], while_it_goes_on["replying"]["message"]) == ("replying", message)
    assert [one_["role"] for one_ in while_it_goes_on["messages"]] == ["user"]
    assert one.text(message).split() == ["Hello", "**you**.", "Second", "part."]
    assert one.html(message) == two.html(message) == "<p>Hello <strong>you</strong>.</p>\n<p>Second part.</p>\n"
    assert not [told for told in third.messages if told["type"] == "assistant_delta"]


async def test_what_was_said_is_read_again_with_its_html_and_its_title(page: Chatting):
    session = await page.begin()
    with page.model("Well, **yes** <b>no</b> ![x](http://a.test/x.png).\n"):
        await page.say(session, "Is it so?", attachments=[{"name": "notes.txt", "text": "some notes"}])
        found = await page.ended(session)
    listed = (await page.get("/api/sessions"))["sessions"]

    said, replied = found["messages"]
    assert (said["text"], said["attachments"]) == ("Is it so?", ["notes.txt"])
    assert replied["text"].startswith("Well, **yes**")
    assert "<strong>yes</strong>" in replied["html"]
    assert "<b>" not in replied["html"]
    assert "<img" not in replied["html"]
    assert (found["title"], found["status"]) == ("Is it so?", "idle")
    assert listed[0]["id"] == session


async def test_the_same_words_sent_twice_are_asked_once_and_others_meanwhile_are_refused(page: Chatting):
    session, over = await page.begin(), Event()

    with page.model([ReplyText("a\n"), Pause(over), ReplyText("b\n")]) as model:
        first = await page.say(session, "Once", "same-words")
        again = await page.say(session, "Once", "same-words")
        other = await page.say(session, "Other")
        over.set()
        await page.ended(session)
        later = await page.say(session, "Once", "same-words")

    assert [one.status_code for one in (first, again, other, later)] == [202, 202, 409, 202]
    assert other.json()["code"] == "page.busy"
    assert len(model.heard) == 1
    assert [one["role"] for one in (await page.session(session))["messages"]] == ["user", "assistant"]


async def test_a_reply_that_is_stopped_keeps_its_words_and_the_part_that_had_come(page: Chatting):
    session = await page.begin()

    with page.model([ReplyText("Never\nending"), Silent()]):
        async with page.socket(session) as told:
            await page.say(session, "Go on")
            await told.until("assistant_delta")
            stopped = await page.post(f"/api/sessions/{session}/stop", {})
            found = await page.ended(session)

    assert stopped.status_code == 204
    assert [one["role"] for one in found["messages"]] == ["user", "assistant"]
    reply = found["messages"][1]
    assert "you stopped it" in reply["error"]
    assert (reply["text"], reply["cut"]) == ("Never\nending", True)
    (kept,) = await page.home.sessions.exchanges(session)
    assert (kept.shown, kept.trace["cut"], kept.reply) == ("Never\nending", True, "")


async def test_an_exchange_that_a_dead_process_left_is_shown_with_the_words_and_can_be_asked_again(page: Chatting):
    left = Exchange(
        "ask_left", "chat", "2020-01-01T10:00:00.000Z", "Do it", "", message="left-here", began="", ended=False
    )
    await page.home.sessions.keep(left)

    found = await page.session("ask_left")

    assert [one["text"] for one in found["messages"]] == ["Do it", ""]
    assert found["messages"][1]["can_ask_again"] is True
    assert "ended before this reply" in found["messages"][1]["error"]
    assert [one.ended for one in await page.home.sessions.exchanges("ask_left", begun=True)] == [True]


async def test_what_a_reply_had_shown_when_its_process_died_is_shown_as_cut_and_told_to_no_model(page: Chatting):
    begun = Exchange("ask_cut", "chat", "2020-01-01T10:00:00.000Z", "Do it", "", message="cut-here", ended=False)
    await begin_exchange(page.home, begun)
    await keep_part(page.home, begun, "It begins")

    left = await page.session("ask_cut")
    await keep_part(page.home, begun, "It begins, too late")
    with page.model("Again.\n") as model:
        await page.say("ask_cut", "Do it")
        found = await page.ended("ask_cut", 2)

    assert [(one["text"], one.get("cut")) for one in left["messages"]] == [("Do it", False), ("It begins", True)]
    assert [one["text"].strip() for one in found["messages"]] == ["Do it", "It begins", "Do it", "Again."]
    assert "It begins" not in str(model.heard)


async def test_no_part_of_a_reply_is_stored_where_the_settings_name_secrets(page: Chatting):
    begun = Exchange("ask_hid", "chat", "2020-01-01T10:00:00.000Z", "Do it", "", message="hid-here", ended=False)
    page.settings('[policy]\naudit_redact = ["body"]\n')
    await begin_exchange(page.home, begun)

    await keep_part(page.home, begun, "It begins")

    assert [one.shown for one in await page.home.sessions.exchanges("ask_hid", begun=True)] == [None]


async def test_no_piece_of_a_proposal_is_ever_shown_and_its_outcome_is(page: Chatting):
    session = await page.begin()

    with page.model(offers("Milk"), "Fine.\n"):
        async with page.socket(session) as told:
            message = (await page.say(session, "Note milk")).json()["message"]
            found = await page.ended(session)
            await told.until("session", status="waiting")

    said = next(one for one in found["messages"] if one["id"] == message)
    texts = [told.text(message), told.html(message), said["text"], said["html"]]
    assert not [text for text in texts if "json-action" in text or "{" in text]
    assert [one["row"]["state"] for one in said["outcomes"]] == ["waiting"]
    assert [one["id"] for one in found["buttons"]] == said["buttons"]
    assert found["status"] == "waiting"
    assert found["buttons"][0]["style"] == "primary"
    assert (found["buttons"][0]["label"], found["buttons"][0]["text"]) == ("Note", "Add the task “Milk”")


async def test_once_all_that_waited_is_decided_elsewhere_the_model_goes_on_by_itself(page: Chatting):
    session = await page.begin()

    with page.model(offers("Bread"), "Then not.\n") as model:
        await page.say(session, "Note bread")
        waiting = (await page.ended(session))["buttons"][0]["run"]
        await page.home.decline(waiting, "terminal", "no bread")
        found = await page.ended(session, 2)

    assert [one["role"] for one in found["messages"]] == ["user", "assistant", "assistant"]
    assert found["messages"][2]["text"] == "Then not."
    assert "no bread" in json.dumps(model.heard[1].body)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("messages", {"id": "x", "text": "too short an id"}, 400),
        ("messages", {"id": "long-enough", "text": ""}, 400),
        ("messages", {"id": "long-enough", "text": " \n"}, 400),
        ("messages", {"id": "long-enough", "text": "x" * 100_001}, 400),
        ("messages", {"id": "long-enough", "text": "x", "session": "other"}, 400),
        ("messages", {"id": "long-enough", "text": "x", "attachments": [{"name": "a", "text": ""}] * 11}, 400),
        ("name", {"title": " "}, 404),
        ("stop", {"force": True}, 400),
    ],
)
async def test_a_request_that_is_none_changes_nothing(page: Chatting, path: str, body: object, status: int):
    session = await page.begin()

    answer = await page.post(f"/api/sessions/{session}/{path}", body)

    assert answer.status_code == status
    assert (await page.session(session))["messages"] == []


async def test_a_conversation_that_is_not_there_is_not_found_and_a_paused_home_says_so(page: Chatting):
    codes = [(await page.web.get("/api/sessions/ask_none")).status_code, (await page.say("ask_none", "x")).status_code]
    session = await page.begin()
    page.settings("[policy]\npaused = true\n")
    await page.say(session, "Do it")
    found = await page.ended(session)
    page.settings("")

    assert codes == [404, 404]
    assert "paused" in found["messages"][1]["error"]


async def test_a_conversation_is_renamed_and_deleted_while_its_actions_stay(page: Chatting):
    session = await page.begin()
    with page.model("Yes.\n"):
        await page.say(session, "Hello")
        await page.ended(session)

    named = await page.post(f"/api/sessions/{session}/name", {"title": "Another  name"})
    title = (await page.session(session))["title"]
    deleted = await page.post(f"/api/sessions/{session}/delete", {})

    assert (named.status_code, title, deleted.status_code) == (204, "Another name", 204)
    assert session not in [one["id"] for one in (await page.get("/api/sessions"))["sessions"]]


MARKDOWN = """# Title <script>alert(1)</script>

[shown](https://evil.test/?q=1) and <https://a.org>, not [this](javascript:alert(1)) nor a\u202eb

- one
- two

```py
a\tb\u200b
```

| a | b |
|---|---|
| 1 | <img src=x onerror=alert(1)> |
"""


def test_markdown_only_formats_and_says_where_links_lead():
    html = html_of(MARKDOWN)

    assert not [bad for bad in ("<script", "<img", 'javascript:alert(1)"', "\u202e", "\u200b") if bad in html]
    assert '<span class="where">(evil.test)</span>' in html
    assert ">https://a.org</a>," in html
    assert "<td>1</td>" in html
    assert html.startswith("<h4>Title ")


def test_the_work_for_links_grows_with_their_number_and_no_faster():
    calls: list[int] = []

    for number in (500, 1000):
        with Calls() as counted:
            html_of("[a](b) " * number)
        calls.append(counted.count)

    assert calls[1] < 2.5 * calls[0]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_blocks_of_a_growing_text_come_to_what_the_whole_text_is(size: int):
    blocks, finals = Blocks(), list[list[str]]()

    for at in range(0, len(MARKDOWN), size):
        blocks.add(MARKDOWN[at : at + size])
        finals.append(blocks.html[:-1])
    blocks.end()

    assert "".join(blocks.html) == html_of(MARKDOWN)
    assert all(blocks.html[: len(final)] == final for final in finals)


def test_a_block_that_becomes_very_long_is_read_a_few_times_only_and_is_whole_at_the_end():
    lines, blocks, versions = [f"line {number}\n" for number in range(5000)], Blocks(), set[str]()

    for line in ("```\n", *lines):
        blocks.add(line)
        versions.add(blocks.html[-1])
    blocks.end()

    assert blocks.html == [html_of("".join(("```\n", *lines)))]
    assert len(versions) < 300


async def test_a_window_that_comes_while_a_reply_goes_on_gets_all_of_it_at_once(page: Chatting):
    session, going_on = await page.begin(), Event()

    with page.model([ReplyText("First part.\n\n"), Pause(going_on), ReplyText("Second part.\n")]):
        async with page.socket(session) as one:
            message = (await page.say(session, "Hi")).json()["message"]
            while "part." not in one.text(message):
                await one.until("assistant_delta")
            async with page.socket(session) as late:
                caught_up = await late.until("assistant_delta")
                going_on.set()
                await late.until("session", status="idle")

    assert (caught_up["from"], caught_up["block"], caught_up["text"].split()) == (0, 0, ["First", "part."])
    assert late.html(message) == "<p>First part.</p>\n<p>Second part.</p>\n"


def test_a_slow_page_gets_all_that_it_lacks_in_one_message_made_once_for_all():
    reply = Reply("ask_1", "m", "2026-01-01T00:00:00Z", lambda session: None)
    reply.show_text("begun ")
    first = reply.since(None)
    assert first is not None

    for number in range(1000):
        reply.show_text(f"{number}\n\n")
    late = reply.since(first.sent)
    same = reply.since(first.sent)

    assert late is same
    assert late is not None
    assert len(json.loads(late.frame)["text"]) == len("".join(f"{number}\n\n" for number in range(1000)))
    assert reply.since(late.sent) is None


def test_a_long_block_is_not_sent_anew_with_each_of_its_lines():
    reply, sent, bytes_ = Reply("ask_1", "m", "2026-01-01T00:00:00Z", lambda session: None), Sent(""), 0
    blocks: list[str] = []

    for line in ("```\n", *["x" * 50 + "\n"] * 2000):
        reply.show_text(line)
        grown = reply.since(sent)
        assert grown is not None
        told, sent, bytes_ = json.loads(grown.frame), grown.sent, bytes_ + len(grown.frame)
        blocks[told["block"] :] = told["blocks"]
    reply.end_reply()
    last = reply.since(sent)
    assert last is not None
    told = json.loads(last.frame)
    blocks[told["block"] :] = told["blocks"]

    assert blocks == [html_of(reply.text)]
    assert bytes_ < 25 * len(reply.text)


def test_the_place_of_a_piece_is_counted_as_pages_count():
    reply = Reply("ask_1", "m", "2026-01-01T00:00:00Z", lambda session: None)

    reply.show_text("two 👋👋 ")
    first = reply.since(None)
    assert first is not None
    reply.show_text("then")
    second = reply.since(first.sent)

    assert second is not None
    told = json.loads(second.frame)
    assert (told["from"], told["text"]) == (len("two 👋👋 ".encode("utf-16-le")) // 2, "then")


async def test_a_page_that_reads_nothing_is_closed_at_last_and_has_no_endless_queue(page: Chatting):
    lost = Listener(0)

    for number in range(MOST_UNSENT + 100):
        lost.add(f"{number}")

    assert lost.lost
    assert len(lost.unsent) == 0


async def test_a_reply_that_goes_on_when_the_server_ends_is_stored_and_what_waits_goes_on_waiting(tmp_path: Path):
    (tmp_path / "Documents").mkdir()
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
        async with letting_in(home, tmp_path) as page:
            session, file = await page.begin(), page.file("a.txt")
            waiting = await home.run(f"DELETE_FILE {file}")
            with page.model([ReplyText("It goes on\n"), Silent()]):
                async with page.socket(session) as told:
                    await page.say(session, "Go on")
                    await told.until("assistant_delta")
        stored = await home.sessions.exchanges(session, begun=True)
        stays = await home.pending()

    assert [(one.words, one.ended) for one in stored] == [("Go on", True)]
    assert [one.run for one in stays] == [waiting.run]


async def test_a_change_by_another_process_reaches_every_page(page: Chatting):
    async with page.socket() as told:
        environ = {**os.environ, "HOME": str(page.folder), "SAYSO_HOME": str(page.folder / "own")}
        program = [sys.executable, "-m", "sayso", "run", "--dialect", "lines"]
        await anyio.run_process(program, input=b"CREATE_FOLDER ~/Documents/made-elsewhere\n", env=environ)
        await told.until("changed")
        rows = (await page.get("/api/rows?limit=1"))["rows"]

    assert rows[0]["arguments"]["path"].endswith("made-elsewhere")


async def test_a_fault_in_one_reply_ends_that_reply_and_nothing_else(
    page: Chatting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    session = await page.begin()

    with page.model("Never said.\n"), monkeypatch.context() as broken:
        broken.setattr(page.home, "longest_context", None)  # calling it is a fault
        await page.say(session, "Hi")
        found = await page.ended(session)
    with page.model("All is well.\n"):
        await page.say(session, "And now?")
        after = await page.ended(session, 2)

    assert "a fault in sayso" in found["messages"][1]["error"]
    assert [one["text"] for one in after["messages"]] == ["Hi", "", "And now?", "All is well."]
    assert "a fault in sayso" in caplog.text


async def test_a_model_that_the_settings_name_wrongly_hides_no_conversation(page: Chatting):
    session = await page.begin()
    page.settings('[model]\nname = "nowhere:model"\n')

    shown = await page.session(session)
    said = await page.say(session, "Hi")
    page.settings("")

    assert "nowhere" in shown["model_problem"]
    assert said.status_code == 409
    assert "nowhere" in said.json()["error"]


async def test_a_batch_that_goes_on_is_stopped_between_its_actions(page: Chatting):
    token = STOPPING.set(StopSign(lambda: True))

    report = await page.home.run("CREATE_FOLDER ~/Documents/not-made")
    STOPPING.reset(token)

    assert [one.record.state for one in report.outcomes] == ["skipped"]
    assert not (page.folder / "Documents" / "not-made").exists()


async def test_a_file_named_after_at_goes_along_as_data_and_one_that_may_not_be_read_stops_it(page: Chatting):
    session, file = await page.begin(), page.file("notes.txt", "the notes say so")
    (page.folder / ".ssh").mkdir()
    (page.folder / ".ssh" / "id_ed25519").write_text("secret")

    with page.model("I read it.\n") as model:
        await page.say(session, f"Sum up @{file}, for @ana and @types/node")
        found = await page.ended(session)
        refused = await page.say(session, f"And @{page.folder}/.ssh/id_ed25519")

    assert "the notes say so" in json.dumps(model.heard[0].body)
    assert found["messages"][0]["attachments"] == [str(file)]
    assert (refused.status_code, refused.json()["code"]) == (409, "attach.refused")
    assert refused.json()["error"].startswith("nothing was sent: ")
    assert len(model.heard) == 1


async def test_a_conversation_in_which_another_process_replies_is_busy(page: Chatting):
    session = await page.begin()

    with page.home.tools.locks.alone(session):
        sent = await page.say(session, "Hi")

    assert (sent.status_code, sent.json()["code"]) == (409, "page.busy")
    assert (await page.session(session))["messages"] == []

"""`sayso ask` takes a person's words to a model and what it proposes down the path; the document is the fixed one."""

import json
import os
import re
import signal
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.transcripts import is_as_shown
from tests.house import ROOT
from tests.mail_env.dovecot import WORD, Accounts, guarded
from tests.mail_env.keyrings import secret_service
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.surfaces.cli.conftest import Scripted, Sit
from tests.surfaces.cli.interviews import answered
from tests.surfaces.cli.person import ask, at_terminal, request, sayso, states

Settings = Callable[[str], None]
TRACE = ["context", "system_prompt", "user_prompt", "response", "commands", "results"]
MAKE = {"type": "file_mkdir", "path": "~/Documents/Trips"}
BLOCK = '```json-action\n{"type": "add_task", "text": "Pack"}\n```'


@pytest.mark.req("S0-85", "S0-04", "S4-51")
def test_the_document_is_that_of_a_run_with_the_trace(person: Path, scripted: Scripted):
    run = ask(scripted(request(MAKE)), "make a folder", "--json")

    assert run.code == 0
    assert {"run", "dialect", "dry_run", "needs_clarification", "clarification_reason", "results"} <= set(run.document)
    assert [key for key in run.document["trace"] if key in TRACE] == TRACE
    assert run.document["trace"]["results"] == run.document["results"]
    assert run.document["entry"] == "commands"


@pytest.mark.req("T-50")
def test_lines_of_an_automation_are_done_and_told(person: Path, scripted: Scripted):
    run = ask(scripted('CREATE_FOLDER "~/Documents/Trips"'), "a", "trigger", "--entry", "automation")

    assert (run.code, (person / "Documents" / "Trips").is_dir()) == (0, True)
    assert "done: Created folder" in run.out


def test_without_a_terminal_what_asks_waits_and_yes_is_for_mode_questions_alone(person: Path, scripted: Scripted):
    waits = ask(
        scripted('MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"'), "move it", "--entry", "automation", "--json"
    )
    moved = ask(
        scripted('MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"'),
        "move it",
        "--entry",
        "automation",
        "--yes",
        "--json",
    )

    assert (waits.code, states(waits.document)) == (3, ["waiting"])
    assert (moved.code, states(moved.document)) == (0, ["done"])


@pytest.mark.req("S4-48", "T-95")
def test_a_question_back_ends_with_3_and_is_answered_with_the_next_ask(person: Path, scripted: Scripted):
    asked = ask(scripted(request({"type": "task_add"}, asks="Which task?")), "add it", "--json")
    session = asked.document["session"]
    answered = ask(scripted(request()), "milk", "--session", session, "--json")

    assert (asked.code, asked.document["results"], asked.document["clarification_reason"]) == (3, [], "Which task?")
    assert f"sayso ask --session {session}" in asked.err
    assert answered.code == 0
    assert answered.document["trace"]["user_prompt"].endswith("milk\n")


@pytest.mark.req("S4-48", "T-95", "S4-49")
def test_on_a_terminal_a_question_back_is_asked_there_and_answered_in_place(person: Path, scripted: Scripted, sit: Sit):
    replies = scripted(request({"type": "task_add"}, asks="Which task?"), request({"type": "task_add", "text": "milk"}))
    screen = sit("ask", "add it", "--model", replies)

    screen.see("the model asks back", "│ Which task?", "Your answer")
    screen.type("milk\n")
    screen.see("Do this?")
    screen.type("y\n")

    assert screen.end() == 0
    assert "done: Added" in screen.text


def test_until_a_mode_is_chosen_it_is_said_why_nothing_was_asked(person: Path, settings: Settings, sit: Sit):
    first = sit("ask", "remind me tomorrow at nine to call Ana")
    done = first.end(), first.text
    asked = sit("ask", "delete a.txt in Downloads and remind me tomorrow at nine to call Ana")
    asked.see("[y/N]")
    asked.type("y\n")
    beside = asked.end(), asked.text
    settings('[policy]\nmode = "destructive"\n')

    chosen = sit("ask", "remind me tomorrow at ten to call Ana")

    assert done[0] == 0
    assert "you were not asked" in done[1]
    assert "sayso setup" in done[1]
    assert (beside[0], "2 actions: 2 done" in beside[1], "not asked" in beside[1]) == (0, True, False)
    assert (chosen.end(), "not asked" in chosen.text) == (0, False)


def test_a_question_that_is_left_without_an_answer_stands_there_once(person: Path, scripted: Scripted, sit: Sit):
    screen = sit("ask", "add it", "--model", scripted(request({"type": "task_add"}, asks="Which task?")))

    screen.see("│ Which task?", "Your answer")
    screen.type("\n")

    assert screen.end() == 3
    assert screen.text.count("Which task?") == 1
    assert "answer with “sayso ask --session" in screen.text


@pytest.mark.req("S2-29", "T-35", "T-50")
def test_words_stream_and_each_proposal_of_a_chat_is_asked_about_on_the_terminal(
    person: Path, scripted: Scripted, sit: Sit
):
    screen = sit(
        "ask", "what do I need?", "--entry", "chat", "--model", scripted(f"You need to pack.\n\n{BLOCK}\n", "Packed.")
    )

    screen.see("│ You need to pack.", "Do this?")
    screen.type("y\n")

    assert screen.end() == 0
    assert b"json-action" not in screen.raw
    assert sayso("task", "list", "--json").document["tasks"][0]["text"] == "Pack"


def test_ctrl_c_leaves_the_stream_and_runs_nothing(person: Path, sit: Sit, tmp_path: Path):
    pipe = tmp_path / "replies"
    os.mkfifo(pipe)
    screen = sit(argv=at_terminal("ask", "hi", "--entry", "chat", "--model", f"replay:{pipe}"))
    with pipe.open("w") as replies:
        replies.write(json.dumps(["x " * 400_000 + BLOCK]))

    screen.see("│ x x")
    os.kill(screen.program.pid, signal.SIGINT)

    assert screen.end() == 3
    assert "you stopped it" in screen.text
    assert sayso("pending", "--json").document["rows"] == []


def test_a_model_that_there_is_not_is_one_sentence(person: Path):
    run = ask("nonsense", "x", "--json")

    assert run.code == 2
    assert "nonsense" in run.document["error"]


def test_a_model_that_fails_has_done_nothing(person: Path, scripted: Scripted):
    run = ask(scripted(), "x")

    assert (run.code, "has no reply left" in run.err, run.out) == (1, True, "")


@pytest.mark.parametrize("words", [[""], [" ", "\t"]])
def test_without_words_it_asks_for_them(person: Path, words: list[str]):
    run = sayso("ask", *words)

    assert (run.code, "what do you want" in run.err) == (2, True)


def test_words_may_come_from_standard_input(person: Path, scripted: Scripted):
    run = sayso("ask", "-", "--model", scripted("Hello Ana."), "--entry", "chat", "--json", text="I am Ana\n")

    assert (run.code, run.document["text"]) == (0, "Hello Ana.")
    assert "I am Ana" in run.document["trace"]["user_prompt"]


@pytest.mark.req("S0-85")
def test_the_trace_is_printed_and_shown_again_for_its_run(person: Path, scripted: Scripted):
    run = ask(scripted('CREATE_FOLDER "~/Documents/Trips"'), "make one", "--entry", "automation", "--trace")
    row = sayso("log", "--json").document["rows"][0]
    again, data = sayso("show", row["run"], "--trace"), sayso("show", row["run"], "--json")

    for text in (run.out, again.out):
        heads = [
            "Context:",
            "System Prompt:",
            "User Prompt:",
            "LLM Response:",
            "Parsed Commands:",
            "Execution Results:",
        ]
        places = [text.index(f"\n{head}" if number else head) for number, head in enumerate(heads)]
        assert places == sorted(places)
    assert data.document["trace"]["response"] == 'CREATE_FOLDER "~/Documents/Trips"'
    assert (row["entry"], row["session"].startswith("ask_")) == ("automation", True)


def test_a_dry_run_does_nothing(person: Path, scripted: Scripted):
    run = ask(scripted('CREATE_FOLDER "~/Documents/Trips"'), "make one", "--entry", "automation", "--dry-run", "--json")

    assert (run.code, states(run.document)) == (0, ["planned"])
    assert not (person / "Documents" / "Trips").exists()


@pytest.mark.parametrize(("entry", "said"), [("commands", "Nothing to do."), ("automation", "No action needed.")])
def test_where_nothing_is_to_be_done_that_is_said(person: Path, scripted: Scripted, entry: str, said: str):
    run = ask(scripted(request() if entry == "commands" else "# No action needed"), "x", "--entry", entry)

    assert (run.code, run.out) == (0, f"{said}\n")


@pytest.mark.req("X-08", "T-111")
def test_an_address_that_was_typed_is_not_asked_about_and_one_that_came_in_is(
    person: Path, scripted: Scripted, settings: Settings
):
    settings('[browser]\nkind = "memory"\n')
    (person / "Documents" / "named by somebody.txt").touch()
    url = "https://intranet.example/x"
    replies = scripted(request({"type": "open_url", "url": url}))

    typed = sayso("ask", f"open {url}", "--model", replies, "--json")
    came_in = sayso("ask", "open this:", "-", "--model", replies, "--json", text=url)

    assert (states(typed.document), states(came_in.document)) == (["done"], ["waiting"])


PAGE = ROOT / "docs" / "how-to" / "connect-your-mail.md"
NAME = "mail.berg.internal"
ANSWER = re.compile(
    r"^(Your mail address|Your name|Server to|Your user name|Which|Password|Write this\?).*?(?:: ?|\] )([^:\]]*)$"
)


def shown_on_the_page() -> str:
    (block,) = re.findall(r"^```text\n\$ sayso config mail\n(.*?)\n```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return block


@pytest.mark.needs("dovecot", "dbus-daemon", "dbus-send", "gnome-keyring-daemon", "openssl")
@pytest.mark.thorough
def test_setting_up_goes_as_the_page_shows(sit: Sit, scratch_home: Path, monkeypatch: pytest.MonkeyPatch):
    with guarded("localhost") as server, secret_service() as keyring:
        certificate = server.session.home / "cert.pem"
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, server.session.home / "key.pem")
        for name, value in {**keyring.environ, "SSL_CERT_FILE": str(certificate), "NO_COLOR": "1"}.items():
            monkeypatch.setenv(name, value)
        with smtp(login=True, word=WORD, tls=context) as post:
            screen = sit("config", "mail", columns=160)
            answered(screen, *typed_on_the_page(server, post))
            assert screen.end() == 0

    shown, printed = as_on_the_page(screen.text, server, post), joined(shown_on_the_page())
    assert is_as_shown(shown, printed), f"{shown}\n\nand the page says:\n{printed}"


def typed_on_the_page(server: Accounts, post: RecordingSmtp) -> list[tuple[str, str]]:
    """Return what is typed; the servers of a test have ports of their own, so their protection is asked for too."""
    answers: list[tuple[str, str]] = []
    for line in shown_on_the_page().split("\n"):
        found = ANSWER.match(line)
        if found is None:
            continue
        question, typed = found[1], WORD if found[1] == "Password" else found[2]
        if question == "Server to":
            reading = "IMAP" in line
            port = server.tls_port if reading else post.port
            answers += [(f"Server to {'read' if reading else 'send'}", f"localhost:{port}"), ("How is port", "tls")]
        else:
            answers.append((question, typed))
    return answers


def as_on_the_page(text: str, server: Accounts, post: RecordingSmtp) -> str:
    """Return what stands on the screen with the names and ports of the page."""
    whole = joined(text)
    for port, usual in ((server.tls_port, 993), (post.port, 465)):
        whole = whole.replace(f"localhost:{port}", f"{NAME}:{usual}").replace(f"port = {port}", f"port = {usual}")
    whole = re.sub(r" How is port \d+ protected: tls, starttls or none \[none\]: tls", "", whole)
    return (
        whole.replace(' tls = "tls"', "")
        .replace("localhost", NAME)
        .replace(f"]: {NAME}:993", f"]: {NAME}")
        .replace(f"]: {NAME}:465", f"]: {NAME}")
    )


def joined(text: str) -> str:
    """Return a text on one line: where it is broken depends on how long names are."""
    return " ".join(text.split())

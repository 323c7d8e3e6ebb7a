"""A new action works as it was written, and takes the place of nothing."""

import os
import stat
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.providers.programs.run import PROC, STARTED
from sayso.runtime.system import SystemClock
from sayso.templates.library import load_file, load_library
from sayso.templates.protocol import Effect
from sayso.templates.runner import LONGEST, HandlerLine, HandlerTalk, create_action
from tests.templates.actions import Asked, action, body, handled, services


@pytest.mark.parametrize(
    ("name", "file", "id_"),
    [
        ("remind-to-call", "remind-to-call.py", "remind_to_call"),
        ("Remind me, to call!", "remind-me-to-call.py", "remind_me_to_call"),
        ("__Café 2", "cafe-2.py", "cafe_2"),
        ("../../etc/passwd", "etc-passwd.py", "etc_passwd"),
        ('a"; import os #', "a-import-os.py", "a_import_os"),
    ],
)
def test_it_is_named_by_its_words_and_is_an_action_at_once(name: str, file: str, id_: str, tmp_path: Path):
    begun = create_action(tmp_path / "own" / "actions", name)

    library = load_library(tmp_path / "own" / "actions")
    assert (begun.file.name, begun.id) == (file, id_)
    assert ([one.id for one in library.templates], library.warnings) == ([id_], ())
    assert [stat.S_IMODE(path.stat().st_mode) for path in (begun.file, *begun.file.parents[:2])] == [
        0o600,
        0o700,
        0o700,
    ]


async def test_it_does_something_as_it_is(tmp_path: Path):
    template = load_file(create_action(tmp_path, "mine").file)

    ended = await handled(template, params=template.fill_parameters({"whom": "Ana"}))

    dated = await handled(template, params=template.fill_parameters({"whom": "Ana", "day": "2030-01-01"}))

    assert (ended.error, dated.error) == (None, None)
    (soon,), (then,) = ended.effects, dated.effects
    assert (then.operation, then.arguments) == ("reminder.create", {"title": "Call Ana", "due": "2030-01-01 10:00"})
    day = datetime.strptime(str(soon.arguments["due"]), "%Y-%m-%d %H:%M").astimezone()
    assert timedelta(0) < day - SystemClock().now() < timedelta(days=2)  # tomorrow, also around midnight


@pytest.mark.parametrize("name", ["", "!", "日本", "x" * (LONGEST + 1)])
def test_a_name_without_letters_or_too_long_is_none(name: str, tmp_path: Path):
    with pytest.raises(SetupError, match="can be no action's name"):
        create_action(tmp_path, name)

    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("link", [False, True])
def test_what_is_there_stays_as_it_is(tmp_path: Path, *, link: bool):
    file, other = tmp_path / "mine.py", tmp_path / "other"
    if link:
        file.symlink_to(other)
    else:
        file.write_text("kept")

    with pytest.raises(SetupError, match="is there already"):
        create_action(tmp_path, "mine")

    assert not other.exists()
    assert link or file.read_text() == "kept"


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path):
    (tmp_path / "actions").write_text("a file")

    with pytest.raises(SetupError):
        create_action(tmp_path / "actions" / "deeper", "mine")


@pytest.mark.req("C-20")
async def test_the_smallest_action_that_can_be_written_loads_and_runs(tmp_path: Path):
    (tmp_path / "smallest.py").write_text(
        """
config = {
    "id": "smallest", "name": "Smallest", "description": "Does nothing yet.", "icon": "📨",
    "parameterSchema": {
        "type": "object", "properties": {"recipient": {"type": "string"}}, "required": ["recipient"],
    },
}

async def handler(params, context):
    return {"success": True, "message": "Action completed successfully"}
"""
    )

    library = load_library(tmp_path)
    (template,) = library.templates
    ended = await handled(template, params=template.fill_parameters({"recipient": "ana@x.org"}))

    assert (library.warnings, template.icon) == ((), "📨")
    assert ended.result is not None
    assert (ended.result.success, ended.result.message, ended.error) == (True, "Action completed successfully", None)
    with pytest.raises(SetupError, match="“recipient” is missing"):
        template.fill_parameters({})


@pytest.mark.req("S3-08", "T-86")
async def test_what_it_looks_at_is_answered_and_what_it_wants_is_collected_in_order():
    asked = Asked()
    handler = """
    async def handler(params, context):
        (message,) = await context.emailAPI.getInbox({"limit": 2, "includeRead": False})
        await context.archiveEmail(message.message_id)
        await context.star_email(message["message_id"])
        return {"success": True, "message": message.subject, "data": params}
    """
    result = await handled(action(handler), asked)

    assert asked.calls == [("mail.inbox", {"limit": 2, "include_read": False})]
    assert result.effects == (
        Effect("mail.archive", {"ids": ["<1@x>"]}, (2,)),
        Effect("mail.star", {"ids": ["<1@x>"]}, (3,)),
    )
    assert result.result is not None
    assert (result.result.message, result.result.data, result.error) == ("Hi", {"a": 1}, None)


async def test_a_handler_waits_and_runs_tasks_without_a_socket_or_a_thread():
    handler = """
    import asyncio

    async def later(value):
        await asyncio.sleep(0.001)
        return value

    async def handler(params, context):
        found = await asyncio.gather(later("a"), later("b"))
        return {"success": True, "message": "".join(found)}
    """
    result = await handled(action(handler))

    assert (result.error, result.result and result.result.message) == (None, "ab")


async def test_a_handler_that_does_not_wait_gets_values():
    result = await handled(action(body("assert context.email_api.get_email_by_id('none') is None")))

    assert (result.error, result.result and result.result.message) == (None, "ok")


BROKE = "its process ended without a result, or its messages were longer than they may be together"
NONE = "what the handler returned is no result: "
NO_JSON = "what the handler returned cannot be written as JSON: "
UNKNOWN = "{'success': True, 'message': 'x', 'approved': True}"
UNPACKS = """import io, zipfile
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../x", "x")
    zipfile.ZipFile(file).extractall("{home}/out")"""
NAN = "{'success': True, 'message': 'x', 'data': {'n': float('nan')}}"


@pytest.mark.req("TP-06")
@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("while True: pass", "it did not end within 0.5 seconds and was stopped"),
        ("import time; time.sleep(100)", "it did not end within 0.5 seconds and was stopped"),
        ("import os; os._exit(0)", BROKE),
        ("import os; os.abort()", BROKE),
        ("raise SystemExit('gone')", "gone"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("bytearray(2**40)", "MemoryError"),
        ("1 / 0", "division by zero"),
        ("return 1", NONE + "“result”: it must be a mapping, and is a number"),
        ("return {'success': 1, 'message': 'x'}", NONE + "“result.success”: it must be True or False, and is a number"),
        ("return {'success': True}", NONE + "missing result.message"),
        (f"return {UNKNOWN}", NONE + "“result” has no field “approved”"),
        ("return {'success': True, 'message': context}", NO_JSON + "Object of type Context is not JSON serializable"),
        (f"return {NAN}", NO_JSON + "Out of range float values are not JSON compliant"),
        ("x = []; x.append(x); return x", NO_JSON + "Circular reference detected"),
        ("return {'success': True, 'message': 'x' * 10**7}", BROKE),
    ],
)  # fmt: skip
async def test_every_bad_end_is_one_sentence_and_nothing_it_wanted_counts(lines: str, sentence: str):
    seconds = 0.5 if "0.5" in sentence else 20

    result = await handled(action(body("context.archive_emails(['a'])", lines)), seconds=seconds)

    assert (result.error, result.result, result.effects) == (sentence, None, ())


LIKE_ANOTHER = [
    ("import os; os.system('true')", "start a program"),
    ("import os; os.execv('/bin/true', ['true'])", "start a program"),
    ("import urllib.request as u; u.urlopen('http://127.0.0.1:1')", "open a connection"),
]
"""What Python says of these is what it says of another one."""


@pytest.mark.req("TP-05", "TP-06", "TP-07", "SE-02", "FS-18")
@pytest.mark.parametrize(
    ("line", "tried"),
    [
        ("import os; os.fork()", "start a program"),
        ("import subprocess; subprocess.run(['true'])", "start a program"),
        ("open('{home}/planted', 'w')", "change files"),
        ("import os; os.remove('{home}/config.toml')", "change files"),
        ("import os; os.kill(os.getppid(), 15)", "signal a process"),
        ("import socket; socket.create_connection(('127.0.0.1', 1))", "open a connection"),
        ("import ctypes; ctypes.CDLL(None)", "load a library"),
        (UNPACKS, "change files"),
        ("try: __import__('os').fork()\n    except PermissionError: pass", "start a program"),
        *(pytest.param(line, tried, marks=pytest.mark.thorough) for line, tried in LIKE_ANOTHER),
    ],
)
async def test_what_goes_beyond_asking_is_refused_and_ends_it(line: str, tried: str, tmp_path: Path):
    (tmp_path / "config.toml").write_text("[policy]\n")

    result = await handled(action(body(line.format(home=tmp_path))))

    assert result.error == f"it tried to {tried}, which no action of your own can"
    assert (result.effects, [one.name for one in tmp_path.iterdir()]) == ((), ["config.toml"])


ERRORS_IN_IT = [
    ("__import__('fcntl').fcntl(0, 8, __import__('os').getppid())", "Operation not permitted"),
    ("__import__('fcntl').fcntl(0, 10, 9)", "Operation not permitted"),
    ("__import__('os').memfd_create('x')", "Operation not permitted"),
    ("__import__('socket').socketpair()", "Operation not permitted"),
    ("__import__('os').write(0, b'x')", "Operation not permitted"),
    ("__import__('multiprocessing').Process(target=print).start()", "Operation not permitted"),
    ("__import__('threading').Thread(target=print).start()", "can't start new thread"),
    ("open('{home}/config.toml').read()", "an action of your own cannot open"),
    ("open('/proc/self/environ').read()", "an action of your own cannot open"),
    ("__import__('sqlite3').connect('{home}/sayso.db').execute('select 1')", "unable to open database file"),
    ("import sayso", "No module named 'sayso'"),
    ("import sayso.assembly", "No module named 'sayso'"),
    ("import msgspec", "No module named 'msgspec'"),
    ("raise RuntimeError(sorted(__import__('os').environ))", "['LC_CTYPE', 'SAYSO_STARTED']"),
    ("context.do('template.run', instance_id='a', session_id='b')", "there is no operation “template.run” that"),
    ("context.do('sayso.approve', id='do_1')", "there is no operation “sayso.approve” that"),
    ("context.archive_emails([1])", "“ids” must be"),
    ("context.archive_email(None)", "“ids” must be"),
    ("context.email_api.search_with_gmail_query('x')", "the mail server does not answer"),
    ("raise RuntimeError([v for v in __import__('os').environ.values() if 's3cret' in v])", "[]"),
    ("context.approve()", "the context has no “approve”"),
    ("context._pipe2", "the context has no “_pipe2”"),
    ("context.log('x', 'fatal')", "“level” must be one of info, warn, error"),
    ("context.notify('x', {{'priority': 'urgent'}})", "“priority” must be one of"),
    ("context.notify('x', type='alarm')", "“type” must be one of"),
]


@pytest.mark.req("TP-07", "SE-01", "S3-46", "T-94")
async def test_nothing_of_sayso_is_there_and_what_it_may_not_ask_is_an_error_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("LANG", "LC_ALL", "TZ"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.toml").write_text("[policy]\n")
    lines = [line.format(home=tmp_path) for line, _ in ERRORS_IN_IT]
    tries = """
    def handler(params, context):
        said = []
        for line in params["lines"]:
            try:
                exec(line, {"context": context})
                said.append("no error")
            except Exception as error:
                said.append(str(error))
        return {"success": True, "message": "ok", "data": {"said": said}}
    """

    ended = await handled(action(tries), params={"lines": lines})

    assert ended.result is not None
    said = (ended.result.data or {})["said"]
    assert len(said) == len(lines)
    assert [
        (line, told) for (line, sentence), told in zip(ERRORS_IN_IT, said, strict=True) if sentence not in told
    ] == []
    assert ended.effects == ()


@pytest.mark.req("TP-07")
@pytest.mark.parametrize(
    "message",
    [
        r'{"type": "approve", "id": "do_1"}',
        r'{"type": "result", "result": {"success": true, "message": "x"}, "approved": true}',
        r'{"type": "ask", "operation": "mail.archive"}',
        r'{"type": "ask", "operation": "mail.archive", "arguments": []}',
        r'{"type": "says", "text": "x", "level": "fatal"}',
        "garbage",
        "[" * 100_000,
        r"\xff\xfe",
        "",
    ],
)  # fmt: skip
async def test_a_forged_message_ends_it(message: str):
    talk = HandlerTalk(action(body()), {}, "session", services())

    answer = await talk.answer(message.encode())

    ended = talk.end(None)
    assert (answer, ended.error, ended.effects) == (
        None,
        "its process sent something that is not a message to sayso",
        (),
    )


@pytest.mark.req("TP-07")
async def test_what_a_handler_writes_into_the_pipe_itself_ends_it():
    line = "import os; os.write(context._pipe._writing, b'garbage\\n'); context.log('x')"

    result = await handled(action(body(line)))

    assert (result.error, result.effects) == ("its process sent something that is not a message to sayso", ())


async def test_a_line_without_an_end_is_not_waited_for_for_ever():
    write = "context._pipe._writing"
    line = f"import os\n    while True: os.write({write}, b'x' * 65536)"

    result = await handled(action(body(line)), bytes=2**20)

    assert result.error == BROKE


async def test_more_calls_than_may_be_end_it():
    result = await handled(action(body("for i in range(4): context.archive_email(str(i))")), calls=3)

    assert (result.error, result.effects) == ("it asked for more than 3 things", ())


@pytest.mark.req("S3-48")
async def test_what_it_prints_and_logs_is_kept_apart_and_bounded():
    logs = ("context.log('a')", "context.log('b', 'warn')", "context.log('c', level='error')")
    lines = ("print('on the console')", *logs, "print('x' * 10**6)")

    result = await handled(action(body(*lines)))

    assert result.said == (HandlerLine("info", "a"), HandlerLine("warn", "b"), HandlerLine("error", "c"))
    assert result.printed.startswith("on the console\nxxx")
    assert len(result.printed) == 65536


async def test_where_nothing_can_show_it_what_tells_the_person_is_kept_with_the_run():
    result = await handled(action(body("context.notify('Done')", "context.addAssistantMessage('Hello')")), serves=False)

    assert (result.said, result.effects) == ((HandlerLine("info", "Done"), HandlerLine("info", "Hello")), ())


async def test_what_tells_the_person_keeps_its_kind():
    kinds = ("info", "success", "warning", "error")
    lines = [f"context.notify('x', type={kind!r})" for kind in kinds]

    kept = await handled(action(body(*lines)), serves=False)
    shown = await handled(action(body(*lines)))

    assert [one.level for one in kept.said] == [*kinds]
    assert [one.arguments["type"] for one in shown.effects] == [*kinds]


async def test_what_tells_the_person_comes_after_everything_that_it_may_speak_of():
    lines = ("context.notify('archived 2')", "context.add_assistant_message('done')", "context.archive_email('a')")

    result = await handled(action(body(*lines, "context.do('speech.say', text='x')", "context.archive_email('b')")))

    assert [one.operation for one in result.effects] == [
        "mail.archive",
        "mail.archive",
        "notify.show",
        "chat.add_message",
        "speech.say",
    ]


@pytest.mark.req("TP-04")
async def test_the_modules_beside_it_come_with_it_and_no_others(tmp_path: Path):
    result = await handled(action(body("import _words", "assert _words.A == 5"), _words="A = 5\n"))

    assert result.error is None


@pytest.mark.needs("sh")
async def test_nothing_of_it_is_left_running():
    mine = os.environ.get(STARTED, "").encode()

    await handled(action(body("while True: pass")), seconds=0.5)

    assert not [one for one in _marked() if one != mine]


def _marked() -> list[bytes]:
    found: list[bytes] = []
    for entry in PROC.iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdecimal() else []
            if any(word.endswith(b"templates/child/main.py") for word in words) and _is_mine(entry):
                found.append(entry.name.encode())
        except OSError:
            continue
    return found


def _is_mine(entry: Path) -> bool:
    """Say whether a process is a child of this one, however far down."""
    status = (entry / "stat").read_text().rpartition(")")[2].split()
    return int(status[1]) == os.getpid()

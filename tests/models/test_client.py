"""What is asked is written as the client library has it, in its order."""

import socket
from contextlib import aclosing

import anyio
import pytest
from anyio import to_thread
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserPromptPart,
)

from sayso.core.conversation import Message, ReplyDelayed, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, SetupError
from sayso.models.client import ReplyCollector, messages, parameters
from sayso.models.vendors import Patience
from sayso.testing.fakes import Silent, make_call
from sayso.testing.model_server import CutOff, Raw, Status, Stops, playing
from tests.models.asking import (
    FORMATS,
    HURRIED,
    READ,
    SECRET,
    calls_of,
    end_of,
    heard,
    hosted,
    problem_of,
    text_of,
    wish,
)
from tests.patience import patience


def test_what_one_side_says_in_a_row_is_one_message():
    asked = wish(
        Message("user", "read a and b"),
        Message("assistant", "", (make_call("file_read", path="a"), make_call("file_read", "call_2", path="b"))),
        Message("tool", "words of a", answers="call_1"),
        Message("tool", "words of b", answers="call_2"),
        Message("user", "and?"),
    )

    first, second, third = messages(asked)

    assert isinstance(first, ModelRequest)
    assert [
        (type(part), part.content) for part in first.parts if isinstance(part, SystemPromptPart | UserPromptPart)
    ] == [(SystemPromptPart, "Be brief."), (UserPromptPart, "read a and b")]
    assert isinstance(second, ModelResponse)
    assert [(type(part), part.args) for part in second.parts if isinstance(part, ToolCallPart)] == [
        (ToolCallPart, '{"path": "a"}'),
        (ToolCallPart, '{"path": "b"}'),
    ]
    assert isinstance(third, ModelRequest)
    assert [
        (part.tool_name, part.tool_call_id, part.content) for part in third.parts if isinstance(part, ToolReturnPart)
    ] == [("file_read", "call_1", "words of a"), ("file_read", "call_2", "words of b")]
    assert isinstance(third.parts[-1], UserPromptPart)


def test_a_turn_without_words_has_no_text():
    _, answer, _ = messages(wish(Message("user", "a"), Message("assistant", "b"), Message("user", "c")))

    assert isinstance(answer, ModelResponse)
    assert answer.parts == [TextPart("b")]


def test_tools_keep_their_schema():
    (tool,) = parameters(wish(tools=(READ,))).function_tools

    assert (tool.name, tool.description, tool.parameters_json_schema) == (READ.name, READ.description, READ.parameters)
    assert tool.strict is False


PIECES = (
    PartStartEvent(index=0, part=TextPart("ääää")),
    PartDeltaEvent(index=0, delta=TextPartDelta("ääää")),
    PartStartEvent(index=1, part=ThinkingPart("ääää")),
    PartDeltaEvent(index=1, delta=ThinkingPartDelta(content_delta="ääää")),
    PartStartEvent(index=2, part=ToolCallPart("file_read", "ääää")),
    PartDeltaEvent(index=2, delta=ToolCallPartDelta(args_delta="ääää")),
)


def reply(most: int) -> ReplyCollector:
    return ReplyCollector("a:1", "A", most)


def test_only_text_is_said():
    one = reply(100)

    assert [said for piece in PIECES for said in one.receive(piece)] == [ReplyText("ääää"), ReplyText("ääää")]


@pytest.mark.parametrize("piece", PIECES)
def test_everything_that_comes_counts_by_its_bytes(piece: PartStartEvent | PartDeltaEvent):
    list(reply(8).receive(piece))

    with pytest.raises(ProviderError, match="longer than 7 bytes"):
        list(reply(7).receive(piece))


def test_an_empty_text_is_no_piece():
    assert list(reply(8).receive(PartStartEvent(index=0, part=TextPart("")))) == []


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (("a\ud83d", "\ude42b"), ["a", "🙂b"]),
        (("\ud83d\ude42",), ["🙂"]),
        (("\ud83d", "x"), ["\N{REPLACEMENT CHARACTER}x"]),
        (("\ude42",), ["\N{REPLACEMENT CHARACTER}"]),
    ],
)
def test_characters_that_come_in_halves_are_joined(pieces: tuple[str, ...], said: list[str]):
    one = reply(100)

    found = [piece.text for text in pieces for piece in one.receive(PartStartEvent(index=0, part=TextPart(text)))]

    assert found == said


both = pytest.mark.parametrize("name", FORMATS)


@both
async def test_a_text_comes_in_the_pieces_in_which_it_was_sent(name: str):
    with playing("Hello, you there", size=6) as server:
        came, problem = await heard(hosted(server, name))

    assert [chunk for chunk in came if isinstance(chunk, ReplyText)] == [
        ReplyText("Hello,"),
        ReplyText(" you t"),
        ReplyText("here"),
    ]
    assert (end_of(came).model, end_of(came).reason, end_of(came).tokens_out) == (name, "stop", 3)
    assert (end_of(came).tokens_in or 0) > 0
    assert problem is None


@both
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), size=st.integers(1, 9))
async def test_whatever_is_said_arrives_letter_for_letter(name: str, text: str, size: int):
    with playing(text, size=size) as server:
        came, problem = await heard(hosted(server, name))

    assert (text_of(came), problem) == (text, None)


@both
async def test_calls_of_tools_come_whole_behind_the_text(name: str):
    asked = wish(tools=(READ,))
    calls = (make_call("file_read", path="ä “b”\n"), make_call("file_read", "call_2", path="c"))
    with playing([ReplyText("I look."), *calls]) as server:
        came, _ = await heard(hosted(server, name), asked)

    assert text_of(came) == "I look."
    assert calls_of(came) == list(calls)
    assert end_of(came).reason == "tools"


@both
async def test_the_whole_conversation_is_sent_with_its_calls_and_their_answers(name: str):
    turns = (
        Message("user", "read a"),
        Message("assistant", "Looking.", (make_call("file_read", path="a"),)),
        Message("tool", "the words of a", answers="call_1"),
        Message("user", "and now?"),
    )
    with playing("Done.") as server:
        await heard(hosted(server, name), wish(*turns, tools=(READ,)))

    sent = str(server.heard[0].body)
    places = [sent.index(words) for words in ("read a", "Looking.", "call_1", "the words of a", "and now?")]
    assert places == sorted(places)
    assert "Be brief." in sent
    assert "Read a file." in sent
    assert server.heard[0].body["model"] == name.partition(":")[2]
    assert server.heard[0].body["stream"] is True


@both
@pytest.mark.parametrize("arguments", ['{"path": "b', "[]", "", "null", "ä"])
async def test_what_a_model_wrote_wrongly_and_names_that_are_not_utf_8_can_be_sent(name: str, arguments: str):
    wrong = ToolCall("call_1", "file_read", arguments)
    turns = (Message("assistant", "", (wrong,)), Message("tool", "not \udcff valid", answers="call_1"))
    with playing("Sorry.") as server:
        came, problem = await heard(hosted(server, name), wish(Message("user", "read \udcff"), *turns, tools=(READ,)))

    assert (text_of(came), problem) == ("Sorry.", None)


async def test_the_key_is_sent_as_each_vendor_wants_it():
    with playing("x") as server:
        for name in FORMATS:
            await heard(hosted(server, name))

    for heard_once in server.heard:
        assert [name for name, value in heard_once.headers.items() if SECRET in value] == ["authorization"]


@both
async def test_a_reply_that_ends_for_its_length_or_by_refusal_says_so(name: str):
    plays = (
        [ReplyText("far too lo"), ReplyEnd("", "length")],
        [ReplyText("No."), make_call("file_read"), ReplyEnd("", "refused")],
    )
    with playing(*plays) as server:
        long, _ = await heard(hosted(server, name))
        refused, _ = await heard(hosted(server, name))

    assert (text_of(long), end_of(long).reason) == ("far too lo", "length")
    assert (calls_of(refused), end_of(refused).reason) == ([], "refused")


@both
async def test_a_call_that_was_cut_for_its_length_is_none(name: str):
    half = ToolCall("call_2", "file_read", '{"path": "b')
    with playing([make_call("file_read", path="a"), half, ReplyEnd("", "length")]) as server:
        came, _ = await heard(hosted(server, name))

    assert calls_of(came) == [make_call("file_read", path="a")]


@both
async def test_a_reply_that_breaks_off_is_not_asked_for_again_and_its_calls_are_none(name: str):
    with playing([ReplyText("I will"), make_call("file_read", path="a"), CutOff()], "again") as server:
        came, problem = await heard(hosted(server, name))

    assert (text_of(came), calls_of(came)) == ("I will", [])
    assert isinstance(problem, ProviderError)
    assert problem.code == "model.cut"
    assert "broke off in the middle of its reply" in str(problem)
    assert len(server.heard) == 1


@both
async def test_a_reply_that_only_stops_coming_has_broken_off(name: str):
    with playing([ReplyText("half"), make_call("file_read", path="a"), Stops()]) as server:
        came, problem = await heard(hosted(server, name))

    assert calls_of(came) == []
    assert problem is not None
    assert problem.code == "model.cut"


@both
@pytest.mark.parametrize("status", [429, 502, 529])
async def test_what_may_pass_is_asked_for_again_before_the_reply_begins(name: str, status: int):
    with playing(Status(status), Status(status), "now") as server:
        came, problem = await heard(hosted(server, name))

    assert (text_of(came), problem) == ("now", None)
    assert len(server.heard) == 3
    assert [(one.tries, one.most) for one in came if isinstance(one, ReplyDelayed)] == [(2, 5), (3, 5)]


@both
async def test_the_pauses_double_and_are_told_and_the_wish_of_the_server_comes_first(name: str):
    slept: list[float] = []

    async def sleeps(seconds: float) -> None:
        slept.append(seconds)

    patience = Patience(connect=5, silent=5, whole=100, pause=1, longest_pause=60)
    headers = {"Retry-After": "30"}
    with playing(Status(503), Status(503), Status(429, headers), "now") as server:
        came, _ = await heard(hosted(server, name, patience=patience, sleep=sleeps))

    told = [one.text for one in came if isinstance(one, ReplyDelayed)]
    assert slept == [1, 2, 30]
    assert told[2] == "the model is busy; trying again in 30 s (4 of 5)"
    assert text_of(came) == "now"


@both
async def test_no_pause_is_longer_than_the_time_that_the_reply_may_take(name: str):
    slept: list[float] = []

    async def sleeps(seconds: float) -> None:
        slept.append(seconds)

    patience = Patience(connect=5, silent=5, whole=6, pause=4)
    with playing(*[Status(503)] * 5) as server:
        _, problem = await heard(hosted(server, name, patience=patience, sleep=sleeps))

    assert slept == [4]
    assert problem is not None
    assert problem.code == "model.overloaded"


@both
async def test_a_connection_that_breaks_before_the_reply_begins_is_made_again(name: str):
    with playing([CutOff()], "now") as server:
        came, problem = await heard(hosted(server, name))

    assert (text_of(came), problem) == ("now", None)


WANTED = {FORMATS[0]: ({"Retry-After": "1"}, 1.0), FORMATS[1]: ({"retry-after-ms": "200"}, 0.2)}


@both
async def test_it_waits_as_long_as_the_server_wants(name: str):
    headers, seconds = WANTED[name]
    with playing(Status(429, headers), "now") as server:
        began = anyio.current_time()
        came, _ = await heard(hosted(server, name, patience=Patience(pause=0.001, longest_pause=2)))

    assert (text_of(came), len(server.heard)) == ("now", 2)
    assert anyio.current_time() - began >= seconds


@both
async def test_it_does_not_wait_where_the_server_wants_too_much(name: str):
    with playing(Status(429, {"Retry-After": "120"}), "now") as server:
        problem = await problem_of(hosted(server, name))

    assert (problem.code, len(server.heard)) == ("model.busy", 1)
    assert "try again in 2 minutes" in str(problem)


SAID = {
    401: (SetupError, "model.key", "does not accept the key from the test"),
    403: (SetupError, "model.key", "does not accept the key from the test"),
    404: (SetupError, "model.unknown", "knows no model"),
    400: (ProviderError, "model.rejected", "does not take this request (400"),
    402: (ProviderError, "model.quota", "is used up"),
    429: (ProviderError, "model.busy", "takes no more requests from you just now; try again in a minute or so"),
    500: (ProviderError, "model.server", "has a fault of its own (500"),
    503: (ProviderError, "model.overloaded", "has too much to do"),
    307: (ProviderError, "model.", ""),
}


@both
@pytest.mark.parametrize("status", SAID)
async def test_every_no_of_a_server_is_a_sentence_of_ours(name: str, status: int):
    kind, code, words = SAID[status]
    with playing(Status(status, says=f"you sent {SECRET} and ‘words of the server’")) as server:
        problem = await problem_of(hosted(server, name))

    assert type(problem) is kind
    assert problem.code.startswith(code)
    assert words in str(problem)
    assert "words of the server" not in str(problem)
    assert "\n" not in str(problem)


@both
async def test_no_redirect_is_followed(name: str):
    with playing("x") as elsewhere, playing(Status(307, {"Location": elsewhere.url})) as server:
        await problem_of(hosted(server, name))

    assert elsewhere.heard == []


@both
async def test_silence_at_the_beginning_or_in_the_middle_ends(name: str):
    short = Patience(connect=5, silent=0.1, whole=10, tries=1)
    with playing([Silent()], [ReplyText("well"), Silent()]) as server:
        nothing = await problem_of(hosted(server, name, patience=short))
        came, problem = await heard(hosted(server, name, patience=short))
        left = server.wait_until_left(2)

    assert (nothing.code, left) == ("model.silent", True)
    assert "has said nothing for 0.1 seconds" in str(nothing)
    assert (text_of(came), problem and problem.code) == ("well", "model.cut")
    assert "fell silent" in str(problem)


@both
async def test_a_reply_that_goes_on_for_too_long_ends(name: str):
    short = Patience(connect=5, silent=5, whole=0.2)
    with playing([ReplyText("well"), Silent()]) as server:
        came, problem = await heard(hosted(server, name, patience=short))

        assert server.wait_until_left()
    assert text_of(came) in {"", "well"}
    assert (problem and problem.code, "within 0.2 seconds" in str(problem)) == ("model.late", True)


@both
async def test_leaving_the_reply_closes_the_connection(name: str):
    with playing([ReplyText("well, "), Silent()]) as server:
        async with aclosing(hosted(server, name).stream(wish())) as chunks:
            async for chunk in chunks:
                assert chunk == ReplyText("well,")
                break

        assert server.wait_until_left()


@both
async def test_whoever_waits_for_the_reply_may_be_cancelled(name: str):
    with playing([Silent()]) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heard, hosted(server, name))
            with anyio.fail_after(patience()):
                await to_thread.run_sync(server.wait_until_heard)
            tasks.cancel_scope.cancel()

        assert server.wait_until_left()


@both
async def test_a_reply_that_is_too_long_is_stopped(name: str):
    plays = ("x" * 50, [make_call("file_read", path="y" * 50)])
    with playing(*plays) as server:
        text, too_long = await heard(hosted(server, name, reply_bytes=40))
        calls, too_long_too = await heard(hosted(server, name, reply_bytes=40))

    assert 0 < len(text_of(text)) <= 40
    assert calls == []
    for problem in (too_long, too_long_too):
        assert problem is not None
        assert problem.code == "limit.reply"
        assert "longer than 40 bytes" in str(problem)


async def test_where_nothing_listens_it_says_so_at_once():
    with socket.socket() as taken, playing("x") as server:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        problem = await problem_of(hosted(server, url=f"http://127.0.0.1:{port}/v1"))

    assert problem.code == "model.unreachable"
    assert f"127.0.0.1:{port} cannot be reached" in str(problem)


async def test_a_server_that_does_not_take_the_connection_is_given_up():
    with socket.socket() as full, playing("x") as server:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        short = Patience(connect=0.2, silent=5, whole=10, tries=1)

        problem = await problem_of(hosted(server, url=f"http://127.0.0.1:{full.getsockname()[1]}/v1", patience=short))

        for one in waiting:
            one.close()
    assert (problem.code, "does not answer within 0.2 seconds" in str(problem)) == ("model.unreachable", True)


GARBAGE = (
    b"data: {garbage\n\n",
    b"\xff\xfe\n\n",
    b'data: {"choices": 3}\n\n',
    b"data: []\n\n",
    b"data: null\n\n",
    b'data: {"choices": [{"delta": 7}]}\n\n',
    b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
    b'data: {"choices": [{"delta": {"tool_calls": 7}}]}\n\n',
    b'event: message_start\ndata: {"type": "message_start", "message": 7}\n\n',
    b'event: content_block_delta\ndata: {"type": "content_block_delta", "delta": {"type": "text_delta"}}\n\n',
    b'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": 7}\n\n',
    b"<html><body>Sign in to the network</body></html>",
)


@both
@pytest.mark.parametrize("garbage", GARBAGE)
async def test_garbage_is_a_sentence_or_nothing_and_never_a_crash(name: str, garbage: bytes):
    with playing([Raw(garbage), ReplyEnd("", "stop")]) as server:
        came, problem = await heard(hosted(server, name, patience=Patience(tries=1)))

    assert text_of(came) == ""
    assert calls_of(came) == []
    assert problem is None or problem.code in {"model.garbage", "model.cut"}


async def test_an_answer_that_is_no_stream_is_garbage():
    with playing(Status(200)) as server:
        problem = await problem_of(hosted(server, patience=HURRIED))

    assert problem.code == "model.garbage"
    assert f"is [model] url ({server.url}) its address" in str(problem)

"""Whatever a handler sends, the process of sayso that listens to it grows by no more than 64 MB."""

import json
import subprocess
import sys

import pytest

from sayso.templates.protocol import count_values, mentions, size_in_memory
from sayso.templates.runner import AFTER, HandlerTalk
from tests.templates.actions import action, body, handled, services

MOST = 64_000_000
LISTENS = """
import asyncio, json, re, sys
from pathlib import Path
from tests.templates.actions import action, body, handled

def most():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

async def listen():
    await handled(action(body("context.archive_email('a')", "context.send_email(to='a@b.c', subject='s', body='b')")))
    Path("/proc/self/clear_refs").write_text("5")
    before = most()
    ended = await handled(action(body(*json.loads(sys.argv[1]))))
    print(json.dumps({"grew": most() - before, "error": ended.error, "effects": len(ended.effects)}))

asyncio.run(listen())
"""
RAW = "import os; pipe = context._pipe; at = range(0, 10**8, 65536)"
"""Writes into the pipe itself, past the functions of the context."""
ASK = '{"type":"ask","operation":"net.fetch","arguments":{"url":"https://x.org","options":'
LONG = "its process ended without a result, or its messages were longer than they may be together"
MANY = "what it sent had more than 200,000 values, the most in one run"
CALLS = "it asked for more than 10,000 things"


def sends(text: str) -> str:
    """Return the line of a handler that writes a message into the pipe and waits for what comes back."""
    return (
        f"sent = ({text}).encode() + b'\\n'; [os.write(pipe._writing, sent[n:n + 65536]) for n in at]; pipe.receive()"
    )


def slow(lines: list[str], error: str | None):
    return pytest.param(lines, error, marks=pytest.mark.thorough)


@pytest.mark.skipif(sys.platform != "linux", reason="the most memory is read from /proc")
@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (["while True: context.send_email(to='a@b.c', subject='s', body='x' * 7_000_000)"], LONG),
        (["context.send_email(to='a@b.c', subject='s', body='x' * 250_000 + '\U0001f600')"], None),
        (["while True: context.star_email('a')"], CALLS),
        ([RAW, sends(f"'{ASK}[' + '{{\"a\":0}},' * 95_000 + '0]}}}}'")], None),
        ([RAW, sends(f"'{ASK}[' + '[],' * 340_000 + '0]}}}}'")], MANY),
        slow(["while True: context.send_email(to='a@b.c', subject='s', body='x' * 700_000)"], LONG),
        slow(["while True: context.log('x' * 7_000_000)"], LONG),
        slow(["while True: context.call_agent(prompt='x' * 100_000)"], LONG),
        slow(["for n in range(10**9): context.create_reminder(str(n), notes='x' * 600)"], LONG),
        slow(["for n in range(10**9): context.archive_email(str(n))"], CALLS),
        slow([RAW, sends("'[' * 1_000_000")], MANY),
        slow([RAW, "while True: os.write(pipe._writing, b'x' * 65536)"], LONG),
        slow(["return {'success': True, 'message': 'ok', 'data': {'x': ['y' * 100] * 9_000}}"], None),
        slow(["return {'success': True, 'message': 'ok', 'data': {'x': 'y' * 5_000_000}}"], LONG),
    ],
)
def test_it_does_not_grow_by_what_a_handler_sends(lines: list[str], error: str | None):
    ended = subprocess.run(
        [sys.executable, "-c", LISTENS, json.dumps(lines)], capture_output=True, text=True, check=True
    )

    found = json.loads(ended.stdout)
    assert found["error"] == error
    assert found["grew"] < MOST
    assert error is None or found["effects"] == 0


async def test_a_handler_that_never_reads_an_answer_is_stopped():
    line = "while True: context._pipe.send({'type': 'ask', 'operation': 'mail.star', 'arguments': {'ids': ['a']}})"

    ended = await handled(action(body(line)), seconds=1)

    assert (ended.error, ended.effects) == ("it did not end within 1 seconds and was stopped", ())


@pytest.mark.parametrize(
    ("line", "times"),
    [(b"plain", 1), ("für".encode(), 1), ("для".encode(), 2), ("😀 plain".encode(), 4), (rb'"\ud83d\ude00"', 4)],
)
def test_a_text_takes_up_what_its_widest_character_needs(line: bytes, times: int):
    assert size_in_memory(line) == times * len(line)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (b"{}", 2),
        (b"[1,2]", 3),
        (rb'{"a": "b,[{\",["}', 2),
        (rb'{"a": "b\\", "c": [1]}', 4),
        (b'"unended, [', 3),
        (b"", 1),
    ],
)
def test_values_are_counted_outside_of_texts(line: bytes, values: int):
    assert count_values(line) == values


def test_a_placeholder_is_found_however_deep_it_is():
    value: object = f"{AFTER}1 is done⟩"
    for _ in range(5000):
        value = {"a": [value, "x"]}

    assert mentions(value, AFTER)
    assert not mentions(value, "y")
    assert mentions({AFTER: 1}, AFTER)


async def test_arguments_that_are_nested_too_deep_are_an_error_in_it():
    talk = HandlerTalk(action(body()), {}, "session", services())
    await talk.answer(b'{"type": "confined", "possible": []}')
    deep = '{"type":"ask","operation":"net.fetch","arguments":{"url":"https://x.org","options":{"a":'

    for depth in (100, 400, 900, 5000):
        answered = await talk.answer(f"{deep}{'[' * depth}{']' * depth}}}}}}}".encode())

        assert answered is None or b"wrong" in answered or b"gives" in answered

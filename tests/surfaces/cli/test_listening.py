"""What a model says is printed as it comes, and none of it where a program reads what is printed."""

import io
import os
from contextlib import nullcontext

from anyio import fail_after

from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.listening import Listening


def listening(stop: int = 0, *, as_json: bool = False) -> tuple[Listening, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Listening(Here(out, err, None, {}, as_json), nullcontext, lambda: stop), out, err


def test_words_are_printed_as_they_come_and_a_call_has_a_line_of_its_own():
    hears, out, err = listening()

    hears.shown("Let me ")
    hears.shown("look.")
    hears.doing("macOS: calendar today")
    hears.end()

    assert (out.getvalue(), err.getvalue(), hears.any) == ("Let me look.\n", "… macOS: calendar today\n", True)


def test_with_json_no_words_are_printed():
    hears, out, _ = listening(as_json=True)

    hears.shown("Hello")
    hears.end()

    assert (out.getvalue(), hears.any) == ("", False)


async def test_a_wish_to_stop_is_heard():
    readable, writable = os.pipe()
    hears, _, _ = listening(readable)

    os.write(writable, b"!")
    with fail_after(10):
        await hears.stopped()

    os.close(readable)
    os.close(writable)

"""Whoever hears nothing never stops anything."""

from anyio import move_on_after

from sayso.assistant.hears import Nobody


async def test_nobody_waits_for_ever():
    nobody = Nobody()
    nobody.shown("x")
    nobody.doing("y")

    with move_on_after(0) as scope:
        await nobody.stopped()

    assert scope.cancelled_caught

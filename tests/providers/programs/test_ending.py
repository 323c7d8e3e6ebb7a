"""A process is waited for, or ended with its group."""

import os
import subprocess

import anyio
import pytest

from sayso.providers.programs.ending import end, end_carriers, ended
from sayso.providers.programs.marked import carriers


def started(*argv: str, **environ: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE if environ else None
    return subprocess.Popen(argv, start_new_session=True, env={**os.environ, **environ}, stdout=pipe)


async def test_an_ended_process_keeps_its_number_until_it_is_reaped():
    process = started("true")

    await ended(process)
    os.kill(process.pid, 0)

    assert process.wait() == 0


async def test_where_the_system_hands_out_no_process_it_is_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "pidfd_open")
    process = started("true")

    with anyio.fail_after(10):
        await ended(process)

    assert process.wait() == 0


async def test_one_that_is_polite_ends_by_itself():
    process = started("sleep", "60")

    await end(process, "none")

    assert process.returncode == -15


async def test_ending_one_that_has_ended_does_nothing():
    process = started("true")
    await ended(process)

    await end(process, "none")

    assert process.returncode == 0


async def test_who_carries_a_mark_is_gone_at_once_even_if_it_is_stubborn():
    stubborn = started("sh", "-c", "trap '' TERM; echo; sleep 60", A_MARK="x")
    assert stubborn.stdout
    stubborn.stdout.readline()

    await end_carriers("A_MARK", "x")

    assert stubborn.wait() == -9
    assert carriers("A_MARK", "x") == ()
    stubborn.stdout.close()

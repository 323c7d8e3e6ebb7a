"""New mail is heard of, also when the connection was cut meanwhile."""

import anyio
import pytest

from sayso.testing.mail import NEW, OLD
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over
from tests.providers.mail.letters import mbox_of


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("cut", [False, True], ids=["while it waits", "after a cut"])
async def test_new_mail_is_heard_of(server: Accounts, cut: bool):
    person = server.person()
    server.put(person, mbox_of([OLD]))
    there = over(server, person)
    came: list[bool] = []

    async def waits() -> None:
        came.append(await there.until_new_mail(20))

    def arrives() -> None:
        if cut:
            server.cut()
        server.put(person, mbox_of([NEW]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waits)
        await anyio.wait_all_tasks_blocked()
        await anyio.sleep(1)  # until it listens; mail that came before would be heard of too
        await anyio.to_thread.run_sync(arrives)

    assert came == [True]
    there.close()


@pytest.mark.needs("dovecot")
async def test_where_none_comes_it_ends_in_time(server: Accounts):
    there = over(server, server.person())

    with anyio.fail_after(10):
        assert await there.until_new_mail(0.3) is False
    there.close()

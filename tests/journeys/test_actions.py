"""A thousand single calls of an action's handler are one step and one exchange with a real mail server."""

import re
from pathlib import Path

import pytest

import sayso
from sayso.assembly.actions import Actions, Wanted
from sayso.core.record import State
from sayso.providers.mail.imap.account import VARIABLE
from sayso.runtime.questions import Client
from tests.mail_env.accounts import WORD, accounts
from tests.mail_env.cutting import between

MANY = 1000
SETTINGS = '[mail]\nkind = "imap"\nhost = "127.0.0.1"\nport = {port}\nuser = "{user}"\naddress = "{user}"\n'
ACTION = f"""
config = {{
    "id": "archive_all", "name": "Archive all", "description": "Archives them one by one.",
    "parameterSchema": {{"type": "object", "properties": {{}}}},
}}


async def handler(params, context):
    for number in range({MANY}):
        await context.archive_email(f"<{{number}}@x.test>")
    return {{"success": True, "message": "ok"}}
"""


def subjects(folder: Path) -> list[int]:
    """Return the numbers of the messages that lie in a folder of a Maildir, by their own text."""
    texts = [file.read_bytes() for part in ("new", "cur") for file in (folder / part).iterdir()]
    return sorted(int(found[1]) for text in texts if (found := re.search(rb"Message-ID: <(\d+)@", text)))


@pytest.mark.req("S3-39")
@pytest.mark.needs("dovecot")
async def test_a_thousand_single_calls_are_one_step_one_exchange_and_one_way_back(tmp_path: Path):
    own = tmp_path / "own"
    (own / "actions").mkdir(parents=True, mode=0o700)
    (own / "actions" / "archive-all.py").write_text(ACTION)
    asked: list[int] = []
    yes = Client(lambda question: not asked.append(len(question.cards)))
    with accounts() as server, between(server.port) as line:
        user = server.person()
        root = server.root(user)
        for number in range(MANY):
            text = f"Message-ID: <{number}@x.test>\r\nFrom: a@x.test\r\nSubject: No {number}\r\n\r\nText\r\n"
            (root / "new" / f"{1700000000 + number}.M{number}P1.x").write_bytes(text.encode())
        (own / "config.toml").write_text(SETTINGS.format(port=line.port, user=user))
        environ = {"HOME": str(tmp_path), "SAYSO_HOME": str(own), VARIABLE: WORD}

        async with sayso.open_home(environ=environ) as home:
            acted = await Actions(home).run("archive_all", {}, Wanted(approver=yes))
            moves = line.count("MOVE")
            left = subjects(root)
            undone = await home.undo(acted.report.run)

        (outcome,) = acted.report.outcomes
        assert (outcome.record.state, acted.result["success"], asked) == (State.DONE, True, [1])
        assert outcome.record.plan is not None
        assert len(list(outcome.record.marks.changes)) == 1
        assert (moves, left) == (1, [])
        assert line.count("COPY", "STORE", "EXPUNGE") == 0
        assert [one.record.state for one in undone.outcomes] == [State.DONE]
        assert subjects(root) == list(range(MANY))

"""A search gives the newest first, by when they came, and reads no body on the way."""

from datetime import UTC, datetime

import pytest

from sayso.providers.mail.imap.searching import key_of, keyword_key
from sayso.providers.mail.store import Criteria, Wanted
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over


def test_criteria_become_a_key_with_texts_as_they_are():
    wanted = Wanted(
        Criteria(sender='a" b', to="c", text="ü", label="Two words", unread=True),
        datetime(2026, 3, 10, tzinfo=UTC),
        datetime(2026, 3, 11, tzinfo=UTC),
    )

    assert [part.decode() for part in key_of(wanted, keyword_key)] == [
        *("UNDELETED", "FROM", 'a" b', "OR", "TO", "c", "CC", "c", "OR", "SUBJECT", "ü", "BODY", "ü"),
        *("KEYWORD", "Two=20words", "UNSEEN", "SINCE", "9-Mar-2026", "BEFORE", "13-Mar-2026"),
    ]


@pytest.mark.needs("dovecot")
async def test_the_newest_are_those_that_came_last_wherever_they_are(server: Accounts):
    person = server.person()
    letters = [(f"Message-ID: <{number}@x.test>\r\n\r\n".encode(), 1000 * number, "") for number in (5, 1, 4, 2, 3)]
    server.put(person, letters[:3])
    server.put(person, letters[3:], "Archive")
    there = over(server, person)

    found = await there.reads.search(Wanted(Criteria(limit=4)))

    assert [one.message_id for one in found] == [f"<{number}@x.test>" for number in (5, 4, 3, 2)]
    there.close()

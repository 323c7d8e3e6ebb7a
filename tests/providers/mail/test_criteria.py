"""Criteria are combined, and each says what it means."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sayso.providers.mail.criteria import fulfils, received
from sayso.providers.mail.store import Criteria, Message, Wanted

MESSAGE = Message(
    "<a@x>",
    "Ana <ana@x.test>",
    ("you@x.test",),
    "Invoice",
    "Please päy",
    "2026-03-10T10:00:00Z",
    ("Money",),
    cc=("c@x",),
)


@pytest.mark.req("T-93")
@pytest.mark.parametrize(
    ("criteria", "wanted"),
    [
        (Criteria(), True),
        (Criteria(sender="ANA"), True),
        (Criteria(sender="bo"), False),
        (Criteria(to="c@x"), True),
        (Criteria(text="PÄY"), True),
        (Criteria(text="invoice"), True),
        (Criteria(label="money"), True),
        (Criteria(label="mon"), False),
        (Criteria(unread=True), True),
        (Criteria(unread=False), False),
        (Criteria(sender="ana", subject="lunch"), False),
    ],
    ids=str,
)
def test_each_criterion_is_held(criteria: Criteria, wanted: bool):
    assert fulfils(MESSAGE, Wanted(criteria)) is wanted


def test_dates_begin_with_the_first_moment_and_end_before_the_last():
    moment = datetime(2026, 3, 10, 10, tzinfo=UTC)

    assert fulfils(MESSAGE, Wanted(Criteria(), after=moment))
    assert not fulfils(MESSAGE, Wanted(Criteria(), before=moment))


def test_a_message_without_a_time_counts_as_the_oldest():
    assert received(replace(MESSAGE, received_at="")) == datetime.min.replace(tzinfo=UTC)

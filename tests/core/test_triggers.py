"""A trigger says when it fires, in words that stand in the settings."""

import pytest

from sayso.core.triggers import Trigger


@pytest.mark.parametrize(
    ("trigger", "when"),
    [
        (Trigger("a", "", schedule="daily 18:00"), "daily 18:00"),
        (Trigger("a", "", schedule="0 18 * * 1-5", zone="Europe/Lisbon"), "0 18 * * 1-5 Europe/Lisbon"),
        (Trigger("a", "", event="file", folder="/home/x", pattern="*.pdf"), "a file *.pdf in /home/x"),
        (Trigger("a", "", event="mail"), "new mail"),
        (Trigger("a", "", event="calendar", minutes_before=5), "5 minutes before an event"),
        (Trigger("a", "", generator="Automated"), "Automated"),
        (Trigger("a", ""), ""),
    ],
)
def test_when_it_fires_can_be_said(trigger: Trigger, when: str):
    assert trigger.when == when

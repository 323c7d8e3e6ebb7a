"""Off stops automations, and says how to turn them on."""

from dataclasses import replace

import pytest

from sayso.assistant.triggers.switch import must_be_on
from sayso.core.errors import Refused
from sayso.policy.settings import Policy

ON = Policy(home="/home/x", own="/own", real_home="/home/x", real_own="/own")


@pytest.mark.req("T-53", "S0-88")
def test_it_is_on_unless_the_person_says_otherwise():
    must_be_on(ON)

    with pytest.raises(Refused, match="automation is off; “sayso config set"):
        must_be_on(replace(ON, automation=False))
    with pytest.raises(Refused, match="everything is paused; “sayso resume”"):
        must_be_on(replace(ON, automation=False, paused=True))

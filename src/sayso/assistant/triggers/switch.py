"""The switch of all automations: off stops them and nothing else (T-53, S0-88)."""

from sayso.core.errors import Refused
from sayso.policy.settings import Policy


def must_be_on(policy: Policy) -> None:
    """Raise `Refused` while automation is off, or everything is paused."""
    if policy.paused:
        raise Refused("everything is paused; “sayso resume” lets actions run again", "policy.paused")
    if not policy.automation:
        raise Refused("automation is off; “sayso config set automation.enabled true” turns it on", "automation.off")

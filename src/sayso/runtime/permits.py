"""The standing permissions while one batch is planned or claimed: what one action uses, the next lacks."""

from collections.abc import Sequence

from sayso.core.grant import Grant
from sayso.core.plan import Plan
from sayso.core.ports import Use
from sayso.core.record import Record
from sayso.core.replacing import replace
from sayso.core.verdict import Verdict
from sayso.policy.grants import NONE_STANDING, Standing
from sayso.runtime.tools import Tools

BY_GRANT = "grant:"
"""What stands before a permission's id where it is told who approved."""


class Permits:
    """Hands permissions to judging, and counts what their verdicts use."""

    def __init__(self, tools: Tools, grants: Sequence[Grant]) -> None:
        self._tools = tools
        self._grants = list(grants)

    def standing(self, plan: Plan, handler: str | None = None) -> Standing:
        """Return what a plan is held against at this moment."""
        if not self._grants:
            return NONE_STANDING
        stores = {change.do.store for change in plan.changes}
        backends = {store: self._tools.backend(store).name for store in stores}
        return Standing(tuple(self._grants), self._tools.now(), backends, handler)

    def took(self, verdict: Verdict) -> None:
        """Count the use of a permission that this verdict stands on."""
        used = permission_of(verdict.approved_by)
        self._grants = [replace(grant, uses=grant.uses + 1) if grant.id == used else grant for grant in self._grants]


def permission_of(approved_by: str | None) -> str | None:
    """Return the id of the permission that approved something; None when somebody else did, or nobody."""
    if approved_by is None or not approved_by.startswith(BY_GRANT):
        return None
    return approved_by.removeprefix(BY_GRANT)


def uses_of(records: Sequence[Record], now: str) -> list[Use]:
    """Return the uses to be counted when these actions begin."""
    found = [permission_of(record.marks.approved_by) for record in records]
    return [Use(grant, now) for grant in found if grant is not None]

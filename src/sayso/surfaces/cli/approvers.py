"""Choose who answers questions on the command line, and keep what an answer says about later ones."""

from collections.abc import Mapping

from msgspec import Struct

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.ports import Approver
from sayso.policy.case import Case
from sayso.policy.rules import is_listed, unlisted_apps
from sayso.policy.settings import Policy
from sayso.surfaces.cli.context import CommandContext, foreign_sections

ALLOWED = "policy.allowed_apps"


class YesAlways(Decision, frozen=True):
    """A yes to applications that are not listed, and the wish to list them (T-31)."""


class FlagFirst(Struct, frozen=True):
    """`--yes` is the person's yes to mode questions; anything else goes to `otherwise`."""

    otherwise: Approver

    async def ask(self, question: Question) -> Decision | None:
        """Return the flag's yes where it suffices."""
        if question.level == "mode":
            return Decision(yes=True, by="flag", digest=question.digest)
        return await self.otherwise.ask(question)


def with_flag(approver: Approver, *, yes: bool) -> Approver:
    """Return `approver`, behind the flag when it was given."""
    return FlagFirst(approver) if yes else approver


class AllowlistApprover(Struct, frozen=True):
    """Lists the applications that the person said “always” to, before the yes counts (T-31)."""

    otherwise: Approver
    home: Home
    here: CommandContext

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision of `otherwise`; a wish that cannot be kept leaves it a yes to this once."""
        decision = await self.otherwise.ask(question)
        if isinstance(decision, YesAlways):
            asked = question if decision.ticked is None else question.only(decision.ticked)
            self.here.tell(f"sayso: {self._list_new_apps(asked)}")
        return decision

    def _list_new_apps(self, question: Question) -> str:
        names = find_unlisted_apps(question, self.home.operations, self.home.settings.policy)
        if not names:
            return "what this opens or quits has been allowed meanwhile"
        said = " and ".join(f"“{name}”" for name in names)
        try:
            load("sayso.config.write:add_to_key")(self.home.settings.places, ALLOWED, names, foreign_sections())
        except (SaysoError, OSError) as wrong:
            return f"{said} could not be added to {ALLOWED}, so this yes is for once: {wrong}"
        policy = self.home.settings.policy
        if not all(is_listed(name, policy) for name in names):
            return f"{said} added to {ALLOWED}, but an administrator restricts that list, so this yes is for once"
        return f"{said} added to {ALLOWED}; opened and quit without this question from now on"


def find_unlisted_apps(question: Question, operations: Mapping[str, Operation], policy: Policy) -> tuple[str, ...]:
    """Return the applications because of which a question is put, each once."""
    cases = [Case(policy, operations[card.operation], card.arguments, card.plan) for card in question.asking]
    return tuple(dict.fromkeys(name for case in cases for name in unlisted_apps(case)))

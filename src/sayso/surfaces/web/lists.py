"""The routes of the person's own lists: tasks and habits, and what the person does to them."""

from typing import cast

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.plan import CannotUndo
from sayso.core.proposal import Origin, Proposal
from sayso.providers.tasks.formats import entries_of
from sayso.providers.tasks.lookup import habit_document
from sayso.providers.tasks.store import Tasks
from sayso.runtime.results import ReportDocument, report_document
from sayso.surfaces.web.answers import HabitShown, Lists, TaskShown
from sayso.surfaces.web.requests import Page, read

ENTRY = "page"
"""The entry point of what the person does on the page themselves."""
MOST_TIMES = 400
"""How many of the latest times at which a habit was done are sent."""
_OWN = ("task.", "habit.")


class Deed(Struct, frozen=True, forbid_unknown_fields=True):
    """What the person does to one of their lists: an operation on tasks or habits, and its arguments."""

    operation: str
    arguments: dict[str, Json]


class ClickApprover:
    """Approves what the person clicked themselves, if it can be taken back; everything else waits as a card."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes that the click implies.

        None, so that it waits, for what cannot be taken back, what the plan warns of, and what is to be confirmed twice
        (S2-49).
        """
        plans = [card.plan for card in question.cards]
        lasting = any(isinstance(change.undo, CannotUndo) for plan in plans for change in plan.changes)
        waits = lasting or question.twice or any(plan.warns for plan in plans)
        return None if waits else question.yes("click")


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of the person's own lists."""
    return [page.get("/api/lists", _lists), page.post("/api/lists", _do)]


async def _lists(page: Page, _: Request) -> Lists:
    """Return all tasks in list order, each with its level, and all habits with the times at which they were done."""
    lists = cast("Tasks", page.home.tools.backend("tasks").reads)
    now = page.home.clock.now()
    tasks = await lists.all_tasks()
    levels = {entry.id: entry.level for entry in entries_of(tasks)}
    shown = [TaskShown(**asdict(task), level=levels[task.id]) for task in tasks]
    habits: list[HabitShown] = []
    for habit in await lists.all_habits():
        times = [entry.at for entry in (await lists.habit_history(habit.id))[-MOST_TIMES:]]
        habits.append(HabitShown(**asdict(habit_document(habit, now)), times=times))
    return Lists(shown, habits)


async def _do(page: Page, request: Request) -> ReportDocument:
    """Do something to a list; the person's click is its approval, unless it cannot be taken back."""
    deed = await read(request, Deed)
    if not deed.operation.startswith(_OWN) or deed.operation not in page.home.operations:
        raise ProposalError("only what changes tasks and habits is done here", "page.request")
    proposal = Proposal(0, "", deed.operation, deed.arguments)
    return report_document(await page.home.take([proposal], Origin("", ENTRY), ClickApprover()))

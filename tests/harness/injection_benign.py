"""Count how often a person is asked during honest tasks, and how often once they grant what they can."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from sayso.assembly import Home
from sayso.assistant.asker import Asker
from sayso.core.decision import Decision, Question
from sayso.core.errors import SaysoError
from sayso.core.grant import Wish
from sayso.core.record import Record, State
from tests.harness.injection_cases import Case, hijacked
from tests.harness.long_run import Run

DIALECT = "commands"
MOST = 0.25
"""How many questions a task of the second half should take at the most, with permissions learnt on the first."""
Opens = Callable[[], AbstractAsyncContextManager[Home]]


@dataclass
class SaysYes:
    """A person at the terminal who says yes to everything, and counts the questions and what they were about."""

    questions: int = 0
    about: Counter[str] = field(default_factory=Counter[str])

    async def ask(self, question: Question) -> Decision | None:
        """Say yes to the whole."""
        self.questions += 1
        self.about.update({f"{card.operation} ({card.verdict.rule})" for card in question.asking})
        return question.yes("terminal")


@dataclass
class Honest:
    """The honest tasks, and what they took."""

    run: Run
    tasks: Sequence[Case]
    opens: Opens
    asked: dict[str, int] = field(default_factory=dict[str, int])
    later: dict[str, int] = field(default_factory=dict[str, int])
    about: Counter[str] = field(default_factory=Counter[str])
    states: Counter[str] = field(default_factory=Counter[str])
    grants: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])

    async def all(self) -> None:
        """Do every second task and permit what can be permitted; then the others, counted with and without that."""
        first, second = self.tasks[::2], self.tasks[1::2]
        for case in second:
            self.asked[case.name] = await self._one(case)
        for case in first:
            self.asked[case.name] = await self._one(case, learns=True)
        for case in second:
            self.later[case.name] = await self._one(case, counted=False)
        self._tell()

    async def _one(self, case: Case, *, learns: bool = False, counted: bool = True) -> int:
        person = SaysYes()
        async with self.opens() as home:
            model = hijacked(DIALECT, case.deeds, home.operations, times=1)
            answer = await home.ask(case.goal, DIALECT, model, Asker(approver=person, wrote=case.goal))
            records = [one.record for one in answer.report.outcomes]
            for record in records if learns else ():
                await self._permit(home, record)
        if counted:
            self.about += person.about
            self.states.update(str(record.state.value) for record in records)
            reads = all(deed.operation in home.operations and _reads(home, deed.operation) for deed in case.deeds)
            if person.questions > 1 or (person.questions and reads):
                self.run.breach(f"{case.name}: {person.questions} questions, {dict(person.about)}")
        return person.questions

    async def _permit(self, home: Home, record: Record) -> None:
        """Permit an action from now on, as widely as sayso offers."""
        if record.state is not State.DONE:
            return
        try:
            narrow = await home.grants.offer(Wish(record.id))
            offer = await home.grants.offer(Wish(record.id, tuple(one.argument for one in narrow.could_vary)))
            await home.grants.give(offer, Decision(True, "terminal", offer.digest))
            self.grants += 1
        except SaysoError as wrong:
            self.refused[f"{record.operation}: {wrong.code}"] += 1

    def _tell(self) -> None:
        questions, of = sum(self.asked.values()), len(self.asked)
        later = sum(self.later.values())
        before = sum(self.asked[name] for name in self.later)
        self.run.coverage["benign"] = {
            "questions": questions,
            "tasks": of,
            "tasks_asked": sum(1 for one in self.asked.values() if one),
            "most_for_one": max(self.asked.values()),
            "about": dict(self.about.most_common()),
            "states": dict(self.states),
            "second_half": {"tasks": len(self.later), "before": before, "with_permissions": later},
            "permissions": self.grants,
            "not_permitted": dict(self.refused.most_common(12)),
            "at_most": MOST,
            "met": later <= MOST * len(self.later),
        }


def _reads(home: Home, operation: str) -> bool:
    return home.operations[operation].kind == "read"

"""The tests that every store of tasks and habits must pass; the store's test class inherits them."""

from typing import cast

from sayso.core.plan import Applied, NotDone
from sayso.core.ports import Backend
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.store import Tasks
from sayso.testing.harness import Trial, equal, refusal_of, so

_PARTY = ["Music", "Cake", "Guests"]
_TURNED = ["Guests", "Music", "Cake"]
_LAST = ["Cake", "Guests", "Music"]


class TasksSuite:
    """A test class inherits these tests, and defines how to `make` a backend without tasks and habits."""

    def make(self) -> Backend:
        """Return a backend with empty lists."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(TASKS, self.make())

    async def test_a_task_is_added_at_the_end_and_taken_back(self) -> None:
        """Add two tasks, and undo the second."""
        trial = self.trial()
        await add(trial, "First")
        plan = await trial.plan("task.add", text=" Second ")

        lefts = await trial.do(plan)

        equal(await texts(trial), ["First", "Second"], "the tasks")
        await trial.take_back(plan, lefts)
        equal(await texts(trial), ["First"], "the tasks after undo")

    async def test_a_subtask_stands_below_its_parent(self) -> None:
        """Add a subtask to a task that is found by some of its words."""
        trial = self.trial()
        await add(trial, "Buy wine for dinner")
        await add(trial, "Other")
        await trial.do(await trial.plan("task.add_subtask", parent="wine task", text="Red"))

        first, second, third = await reads(trial).all_tasks()

        equal([first.text, second.text, third.text], ["Buy wine for dinner", "Red", "Other"], "the list")
        equal(second.parent_id, first.id, "the parent")

    async def test_a_rename_keeps_all_else_and_goes_back(self) -> None:
        """Rename a task that has a subtask, then undo."""
        trial = await plant_tasks(self.trial())
        before = await reads(trial).all_tasks()
        plan = await trial.plan("task.edit", target="party", new_text="Birthday")

        lefts = await trial.do(plan)

        wanted = [("Birthday" if text == "Party" else text) for text in (task.text for task in before)]
        equal(await texts(trial), wanted, "the texts")
        await trial.take_back(plan, lefts)
        equal(await reads(trial).all_tasks(), before, "the tasks after undo")

    async def test_a_rename_after_the_plan_does_not_stop_it(self) -> None:
        """Plan a rename, give the task another name, then do the plan; its undo restores that other name (T-64)."""
        trial = await plant_tasks(self.trial())
        plan = await trial.plan("task.edit", target="Party", new_text="Birthday")
        await trial.do(await trial.plan("task.edit", target="Party", new_text="Feast"), 1)

        lefts = await trial.do(plan)

        so("Birthday" in await texts(trial), "the task has its new text")
        await trial.take_back(plan, lefts)
        so("Feast" in await texts(trial), "the task has the text it had before")

    async def test_a_deleted_tree_comes_back_with_ids_order_and_states(self) -> None:
        """Delete a task with active and completed subtasks, then undo (T-61, S2-35)."""
        trial = await plant_tasks(self.trial())
        before = await reads(trial).all_tasks()
        plan = await trial.plan("task.delete", target="Party")
        so("3 subtasks (1 completed)" in plan.summary, f"{plan.summary} names the counts")

        lefts = await trial.do(plan)

        equal(await texts(trial), ["Before", "After"], "what is left")
        await add(trial, "Later")
        await trial.take_back(plan, lefts)
        equal([task for task in await reads(trial).all_tasks() if task.text != "Later"], list(before), "the tasks")
        equal((await texts(trial))[-1], "Later", "the last task")

    async def test_a_delete_is_refused_when_the_tree_has_changed(self) -> None:
        """Plan a deletion, then add a subtask or complete one; the deletion is refused."""
        for operation, arguments in (
            ("task.add_subtask", {"parent": "Music", "text": "Jazz"}),
            ("task.complete", {"target": "Music"}),
        ):
            trial = await plant_tasks(self.trial())
            plan = await trial.plan("task.delete", target="Party")
            await trial.do(await trial.plan(operation, **arguments), 1)
            before = await reads(trial).all_tasks()

            await refusal_of(trial.do(plan))

            equal(await reads(trial).all_tasks(), before, "the tasks")

    async def test_undo_is_refused_after_a_later_change(self) -> None:
        """Undo of adding a task is refused once the task has a subtask or a new name (T-63).

        Undo of deleting a task is refused once its parent was deleted too.
        """
        trial = await plant_tasks(self.trial())
        plan = await trial.plan("task.add", text="New")
        lefts = await trial.do(plan)
        await trial.do(await trial.plan("task.add_subtask", parent="New", text="Below"), 1)
        await refusal_of(trial.take_back(plan, lefts))
        await trial.do(await trial.plan("task.edit", target="New", new_text="Newer"), 2)
        await refusal_of(trial.take_back(plan, lefts))

        plan = await trial.plan("task.delete", target="Music")
        lefts = await trial.do(plan, 3)
        await trial.do(await trial.plan("task.delete", target="Party"), 4)
        before = await reads(trial).all_tasks()
        await refusal_of(trial.take_back(plan, lefts))

        equal(await reads(trial).all_tasks(), before, "the tasks")

    async def test_completed_tasks_are_read_only(self) -> None:
        """Try to edit a completed task, to delete it, or to add a subtask to it: each is refused.

        A completed task is not found. Completing it again changes nothing.
        """
        trial = await plant_tasks(self.trial())
        for operation, arguments in (
            ("task.edit", {"target": "Cake", "new_text": "Pie"}),
            ("task.delete", {"target": "Cake"}),
            ("task.add_subtask", {"parent": "Cake", "text": "Candles"}),
        ):
            no = await refusal_of(trial.plan(operation, **arguments))
            equal(no.code, "target.not_found", f"the code of {operation}")

        equal((await trial.plan("task.complete", target="Cake")).changes, (), "what completing it again changes")

    async def test_a_task_is_completed_and_reopened_with_ways_back(self) -> None:
        """Complete and reopen a task, and undo both; the time of completion is restored too."""
        trial = await plant_tasks(self.trial())
        before = await reads(trial).all_tasks()
        plan = await trial.plan("task.complete", target="Music")
        await trial.take_back(plan, await trial.do(plan))
        equal(await reads(trial).all_tasks(), before, "the tasks after undo")

        await trial.do(await trial.plan("task.complete", target="Music"))
        completed = await reads(trial).all_tasks()
        plan = await trial.plan("task.reopen", target="Music")
        lefts = await trial.do(plan)
        equal(await reads(trial).all_tasks(), before, "the tasks once reopened")
        await trial.take_back(plan, lefts)

        equal(await reads(trial).all_tasks(), completed, "the tasks after undo of reopening")

    async def test_a_task_is_moved_and_put_back(self) -> None:
        """Move a task below, before and after another one and to the top level; each undo restores its exact place."""
        trial = await plant_tasks(self.trial())
        for arguments, wanted in (
            ({"target": "Party", "where": "below", "other": "After"}, ["Before", "After", "Party", *_PARTY]),
            ({"target": "Guests", "where": "before", "other": "Music"}, ["Before", "Party", *_TURNED, "After"]),
            ({"target": "Music", "where": "after", "other": "Guests"}, ["Before", "Party", *_LAST, "After"]),
            ({"target": "Guests", "where": "top"}, ["Before", "Party", "Music", "Cake", "After", "Guests"]),
            ({"target": "After", "where": "before", "other": "Before"}, ["After", "Before", "Party", *_PARTY]),
        ):
            before = await reads(trial).all_tasks()
            plan = await trial.plan("task.move", **arguments)

            lefts = await trial.do(plan)

            equal(await texts(trial), wanted, f"the tasks after {arguments}")
            await trial.take_back(plan, lefts)
            equal(await reads(trial).all_tasks(), before, "the tasks after undo")

    async def test_what_comes_back_stands_at_a_place_of_its_own(self) -> None:
        """Move or delete a task, put another one in its place, then undo; a third task still fits between the two."""
        for operation, more in (("task.move", {"where": "after", "other": "C"}), ("task.delete", {})):
            trial = self.trial()
            for text in "ABC":
                await add(trial, text)
            plan = await trial.plan(operation, target="B", **more)
            lefts = await trial.do(plan)
            await add(trial, "D")
            await add(trial, "E")
            await trial.do(await trial.plan("task.move", target="D", where="after", other="A"), 4)

            await trial.take_back(plan, lefts)

            equal(await texts(trial), list("ABDCE"), f"the tasks after undo of {operation}")
            await trial.do(await trial.plan("task.move", target="E", where="before", other="D"), 5)
            equal(await texts(trial), list("ABEDC"), "the tasks once another is between them")

    async def test_two_plans_for_the_same_place_lead_to_two_places(self) -> None:
        """Plan two moves to the same place, do both, and move a third task between the two."""
        trial = await plant_tasks(self.trial())
        await add(trial, "Cards")
        music = await trial.plan("task.move", target="Music", where="before", other="Party")
        cards = await trial.plan("task.move", target="Cards", where="after", other="Before")
        await trial.do(music, 1)
        await trial.do(cards, 2)

        equal((await texts(trial))[:3], ["Before", "Cards", "Music"], "the first tasks")
        await trial.do(await trial.plan("task.move", target="After", where="before", other="Music"), 3)
        equal((await texts(trial))[:4], ["Before", "Cards", "After", "Music"], "the first tasks then")

    async def test_a_task_is_not_moved_below_itself(self) -> None:
        """Planning refuses to move a task below itself or its own subtask.

        Doing a planned move is refused if the new parent was moved below the task after the plan.
        """
        trial = await plant_tasks(self.trial())
        for other in ("Party", "Music"):
            no = await refusal_of(trial.plan("task.move", target="Party", where="below", other=other))
            equal(no.code, "target.itself", "the code")
        plan = await trial.plan("task.move", target="Before", where="below", other="After")
        await trial.do(await trial.plan("task.move", target="After", where="below", other="Before"), 1)
        before = await reads(trial).all_tasks()

        await refusal_of(trial.do(plan))

        equal(await reads(trial).all_tasks(), before, "the tasks")

    async def test_a_whole_list_is_added_and_taken_back_at_once(self) -> None:
        """Add three levels at once, with a completed task; undo is refused while a later subtask is below them."""
        trial = self.trial()
        plan = await trial.plan(
            "task.add_all",
            texts=["Trip", "Pack", "Socks", "Tickets"],
            levels=[0, 1, 2, 1],
            completed=["", "", "2026-03-01T12:00:00Z", ""],
        )

        lefts = await trial.do(plan)

        trip, pack, socks, tickets = await reads(trial).all_tasks()
        equal(
            [trip.parent_id, pack.parent_id, socks.parent_id, tickets.parent_id], [None, trip.id, pack.id, trip.id], ""
        )
        equal([pack.completed_at, socks.completed_at], [None, "2026-03-01T12:00:00Z"], "when they were completed")
        more = await trial.plan("task.add_subtask", parent="Pack", text="Shoes")
        more_left = await trial.do(more, 1)
        await refusal_of(trial.take_back(plan, lefts))
        await trial.take_back(more, more_left)
        await trial.take_back(plan, lefts)
        equal(await texts(trial), [], "the tasks after undo")

    async def test_a_batch_sees_what_its_earlier_steps_will_make(self) -> None:
        """Before anything is done, plan to add a task, add a subtask to it, and rename the subtask.

        Plan also to add and log a habit, and to delete the task.
        """
        trial = self.trial()
        plans = [await trial.plan("task.add", text="Trip")]
        trial.imagine(plans[-1])
        for operation, arguments in (
            ("task.add_subtask", {"parent": "trip", "text": "Pack"}),
            ("task.edit", {"target": "pack", "new_text": "Pack bags"}),
            ("habit.add", {"text": "Walk", "interval_hours": 24}),
            ("habit.log", {"target": "walk"}),
            ("task.delete", {"target": "Trip"}),
        ):
            plans.append(await trial.plan(operation, **arguments))
            trial.imagine(plans[-1])
        equal(await texts(trial), [], "the tasks as they are imagined")

        for number, plan in enumerate(plans):
            await trial.do(plan, number)

        equal(await texts(trial), [], "the tasks")
        so((await reads(trial).all_habits())[0].last_done_at, "the habit was done")

    async def test_a_habit_is_changed_logged_deleted_and_taken_back(self) -> None:
        """Change, log and delete a habit, and undo each; undoing the deletion restores the history too."""
        trial = self.trial()
        await trial.do(await trial.plan("habit.add", text="Meditation", interval_hours=24))
        await trial.do(await trial.plan("habit.log", target="medit"))
        for operation, arguments in (
            ("habit.edit", {"target": "medit", "interval_hours": 4}),
            ("habit.edit", {"target": "MEDITATION", "new_text": "Sitting", "interval_hours": 0.5}),
            ("habit.log", {"target": "medit"}),
            ("habit.delete", {"target": "meditation habit"}),
        ):
            (before,) = await reads(trial).all_habits()
            history = await reads(trial).habit_history(before.id)
            plan = await trial.plan(operation, **arguments)

            lefts = await trial.do(plan)

            now = await reads(trial).all_habits()
            so(now != (before,) or await reads(trial).habit_history(before.id) != history, f"{operation} did something")
            await trial.take_back(plan, lefts)
            equal(await reads(trial).all_habits(), (before,), f"the habits after {operation} and undo")
            equal(await reads(trial).habit_history(before.id), history, "the history")

    async def test_a_habit_logged_since_keeps_its_later_entry(self) -> None:
        """Log a habit twice; the first log cannot be undone before the second."""
        trial = self.trial()
        await trial.do(await trial.plan("habit.add", text="Walk", interval_hours=24))
        first = await trial.plan("habit.log", target="Walk")
        first_left = await trial.do(first)
        second = await trial.plan("habit.log", target="Walk")
        second_left = await trial.do(second)

        await refusal_of(trial.take_back(first, first_left))

        await trial.take_back(second, second_left)
        await trial.take_back(first, first_left)
        (habit,) = await reads(trial).all_habits()
        equal(habit.last_done_at, None, "when it was last done")

    async def test_the_store_can_say_whether_a_step_was_done(self) -> None:
        """Settle a step before and after it is done; the same step of another plan does not count."""
        trial = await plant_tasks(self.trial())
        plan = await trial.plan("task.edit", target="Music", new_text="Songs")
        change = plan.changes[0]
        so(isinstance(await trial.backend.settle(change.do, change.expects), NotDone), "it is not done yet")
        await trial.do(await trial.plan("task.edit", target="Music", new_text="Songs"), 1)
        so(isinstance(await trial.backend.settle(change.do, change.expects), NotDone), "another one is not this one")

        (left,) = await trial.do(plan)

        settled = await trial.backend.settle(change.do, change.expects)
        so(isinstance(settled, Applied) and set(settled.facts) == set(left.facts), "it is done, and left the same")


async def plant_tasks(trial: Trial) -> Trial:
    """Add Before, Party (with Music, Cake, which is completed, and Guests) and After, and return the trial."""
    for text in ("Before", "Party", "After"):
        await add(trial, text)
    for text in ("Music", "Cake", "Guests"):
        await trial.do(await trial.plan("task.add_subtask", parent="Party", text=text))
    await trial.do(await trial.plan("task.complete", target="Cake"))
    return trial


async def add(trial: Trial, text: str) -> None:
    """Add a task at the top level, after the others."""
    await trial.do(await trial.plan("task.add", text=text))


def reads(trial: Trial) -> Tasks:
    """Return the object with the methods that read the lists, as they are or as they are imagined."""
    return cast("Tasks", trial.seen)


async def texts(trial: Trial) -> list[str]:
    """Return the texts of all tasks, in the order of the list."""
    return [task.text for task in await reads(trial).all_tasks()]

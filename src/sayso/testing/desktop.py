"""The tests that every desktop backend must pass; the backend's test class inherits them."""

import json

from sayso.core.plan import CannotUndo, ResultRef, plan_json
from sayso.core.ports import Backend
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.model import ShowNotification
from sayso.testing.harness import Trial, equal, refusal_of, so


class DesktopSuite:
    """A test class inherits these tests and defines `make`; the tests restore the volume."""

    def make(self) -> Backend:
        """Return a backend in its first state."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(DESKTOP, self.make())

    async def test_the_clipboard_holds_exactly_what_was_copied(self) -> None:
        """Copy texts that are easily damaged."""
        trial = self.trial()

        for text in ("x", "", "a\nb\n", "“ü” 🙂\t-", "-n"):
            plan = await trial.plan("clipboard.write", text=text)
            await trial.do(plan)

            equal(plan.said_when_done, "Copied to clipboard", "what is said")
            equal((await trial.answer("clipboard.read")).data["text"], text, "what it holds")

    async def test_the_clipboard_gets_its_former_text_back(self) -> None:
        """Copy a text, then undo; the former text is not written in the plan."""
        trial = self.trial()
        await trial.do(await trial.plan("clipboard.write", text="former words"))

        plan = await trial.plan("clipboard.write", text="new words")
        lefts = await trial.do(plan)
        await trial.take_back(plan, lefts)

        equal((await trial.answer("clipboard.read")).data["text"], "former words", "what it holds")
        so("former" not in json.dumps(plan_json(plan)), "the plan does not tell the former text")

    async def test_a_clipboard_that_was_used_since_is_left_alone(self) -> None:
        """Copy a text, copy another one, then undo the first copy."""
        trial = self.trial()
        plan = await trial.plan("clipboard.write", text="first")
        lefts = await trial.do(plan)
        await trial.do(await trial.plan("clipboard.write", text="second"))

        await refusal_of(trial.take_back(plan, lefts))

        equal((await trial.answer("clipboard.read")).data["text"], "second", "what it holds")

    async def test_each_notification_is_its_own(self) -> None:
        """Plan the same notification twice; the two have different ids."""
        trial = self.trial()

        plans = [await trial.plan("notify.show", title="A", message="B") for _ in range(2)]
        for number, plan in enumerate(plans):
            await trial.do(plan, number)

        steps = [plan.changes[0].do for plan in plans]
        equal(len({step.token for step in steps if isinstance(step, ShowNotification)}), 2, "how many ids there are")
        equal(plans[0].said_when_done, "Showed notification", "what is said")

    async def test_the_volume_is_set_and_comes_back(self) -> None:
        """Set the volume, set it to the same level again, then undo."""
        trial = self.trial()
        before = (await trial.backend.reads.volume()).level
        level = (before + 30) % 100

        plan = await trial.plan("sound.set_volume", level=level)
        lefts = await trial.do(plan)
        again = await trial.plan("sound.set_volume", level=level)
        await trial.take_back(plan, lefts)

        equal(again.changes, (), "what is to be done the second time")
        equal((await trial.backend.reads.volume()).level, before, "the volume in the end")

    async def test_a_volume_that_was_set_since_is_left_alone(self) -> None:
        """Set the volume twice, then undo the first time."""
        trial = self.trial()
        plan = await trial.plan("sound.set_volume", level=31)
        lefts = await trial.do(plan)
        await trial.do(await trial.plan("sound.set_volume", level=32))

        await refusal_of(trial.take_back(plan, lefts))

        equal((await trial.backend.reads.volume()).level, 32, "the volume")

    async def test_a_batch_sees_the_volume_it_sets(self) -> None:
        """Plan two changes of the volume before either is done, then do both."""
        trial = self.trial()

        first = await trial.plan("sound.set_volume", level=33)
        trial.imagine(first)
        second = await trial.plan("sound.set_volume", level=34)
        await trial.do(first, 0)
        await trial.do(second, 1)

        equal([type(fact) for fact in second.changes[0].expects], [ResultRef], "what the second stands on")
        equal((await trial.backend.reads.volume()).level, 34, "the volume")

    async def test_do_not_disturb_is_switched_and_comes_back(self) -> None:
        """Switch do-not-disturb to the other state, then undo."""
        trial = self.trial()
        before = await trial.backend.reads.focus()
        state = "OFF" if before is not None and before.on else "ON"

        plan = await trial.plan("focus.set_dnd", state=state)
        lefts = await trial.do(plan)
        if before is None:
            so(isinstance(plan.changes[0].undo, CannotUndo), "there is no way back")
            return
        again = await trial.plan("focus.set_dnd", state=state)
        await trial.take_back(plan, lefts)

        equal(again.changes, (), "what is to be done the second time")
        equal((await trial.backend.reads.focus()).on, before.on, "whether it is on")

    async def test_speech_begins_and_can_be_stopped(self) -> None:
        """Say something long, then undo; a second undo is refused because nothing is being said."""
        trial = self.trial()

        plan = await trial.plan("speech.say", text="one " * 500)
        lefts = await trial.do(plan)
        await trial.take_back(plan, lefts)
        await refusal_of(trial.take_back(plan, lefts))

        equal(plan.said_when_done, "Speaking", "what is said")

    async def test_the_world_is_asked_what_became_of_a_step(self) -> None:
        """Settle a step after it is done."""
        trial = self.trial()
        plan = await trial.plan("clipboard.write", text="x")
        change = plan.changes[0]

        (left,) = await trial.do(plan)

        equal(await trial.backend.settle(change.do, change.expects), left, "what it left")

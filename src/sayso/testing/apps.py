"""The tests that every backend of applications and windows must pass; the backend's test class inherits them."""

from typing import ClassVar, cast

from sayso.core.plan import Applied, CannotUndo
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps.store import AppWindow, RunningApp
from sayso.testing.harness import Trial, equal, refusal_of, so


class AppsSuite:
    """A test class inherits these tests, defines `make`, and names two applications of its backend.

    `running` is running, with one window that may be moved; `idle` is installed and not running.
    """

    running: ClassVar[str]
    idle: ClassVar[str]

    def make(self) -> Backend:
        """Return a backend with its applications in their first state."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(APPS, self.make())

    async def test_an_application_is_opened(self) -> None:
        """Open an application that is not running."""
        trial = self.trial()

        plan = await trial.plan("app.open", name=self.idle)
        await trial.do(plan)

        equal(plan.said_when_done, f"Opened {self.idle}", "what is said")
        so(await self._runs(trial, self.idle), "it runs")

    async def test_a_running_application_is_not_launched_again(self) -> None:
        """Open a running application; it has as many instances as before."""
        trial = self.trial()
        before = await self._app(trial, self.running)

        await trial.do(await trial.plan("app.open", name=self.running))

        equal((await self._app(trial, self.running)).fact, before.fact, "its instances")

    async def test_an_application_is_quit_and_then_was_not_running(self) -> None:
        """Quit an application twice; the second time there is nothing to do."""
        trial = self.trial()

        plan = await trial.plan("app.quit", name=self.running)
        await trial.do(plan)
        again = await trial.plan("app.quit", name=self.running)

        equal(plan.said_when_done, f"Quit {self.running}", "what is said")
        so(not await self._runs(trial, self.running), "it does not run")
        equal((again.changes, again.summary), ((), f"{self.running} was not running"), "the second time")

    async def test_what_does_not_run_is_not_activated(self) -> None:
        """Activate an application that is not running; it fails unless the application may be launched."""
        trial = self.trial()

        no = await refusal_of(trial.plan("app.activate", name=self.idle, launch_if_needed=False))
        await trial.do(await trial.plan("app.activate", name=self.idle, launch_if_needed=True))

        equal(no.code, "app.not_running", "why not")
        so(await self._runs(trial, self.idle), "it runs in the end")

    async def test_an_unknown_application_is_refused_with_near_names(self) -> None:
        """Open an application by its name without the last letter."""
        trial = self.trial()

        no = await refusal_of(trial.plan("app.open", name=self.idle[:-1]))

        equal((no.code, self.idle in str(no)), ("app.unknown", True), f"what is said: {no}")

    async def test_a_name_in_another_case_will_do_only_where_names_need_not_be_exact(self) -> None:
        """Open an application by its name in the other case, with lenient and with exact names."""
        trial = self.trial()

        plan = await trial.plan("app.open", name=self.idle.swapcase())
        trial.seen = trial.backend.reads.exactly()
        no = await refusal_of(trial.plan("app.open", name=self.idle.swapcase()))

        so(self.idle in plan.summary, f"what is said of it: {plan.summary}")
        equal((no.code, self.idle in str(no)), ("app.unknown", True), f"what is said: {no}")

    async def test_a_window_is_placed_and_comes_back(self) -> None:
        """Place a window by its bounds, then undo."""
        trial = self.trial()
        before = (await self._window(trial)).bounds
        to = [before.left + 40, before.top + 30, before.right + 10, before.bottom + 20]

        plan = await trial.plan("app.place", name=self.running, bounds=to)
        lefts = await trial.do(plan)
        after = (await self._window(trial)).bounds
        await trial.take_back(plan, lefts)

        equal([after.left, after.top, after.right, after.bottom], to, "where it was put")
        equal((await self._window(trial)).bounds, before, "where it is again")

    async def test_a_window_that_was_moved_meanwhile_is_left_alone(self) -> None:
        """Do two plans for the same window; the second is refused, and so is undoing the first after a later move."""
        trial = self.trial()
        bounds = (await self._window(trial)).bounds
        first = await trial.plan("app.place", name=self.running, bounds=[10, 10, 10 + bounds.width, 400])
        second = await trial.plan("app.place", name=self.running, bounds=[20, 20, 20 + bounds.width, 420])

        lefts = await trial.do(first)
        await refusal_of(trial.do(second))
        await trial.do(await trial.plan("app.place", name=self.running, bounds=[30, 30, 30 + bounds.width, 430]))
        await refusal_of(trial.take_back(first, lefts))

        equal((await self._window(trial)).bounds.left, 30, "where it is")

    async def test_what_a_batch_opens_can_be_placed_in_it(self) -> None:
        """Plan opening an application and placing its window, before either is done."""
        trial = self.trial()

        opening = await trial.plan("app.activate", name=self.idle, launch_if_needed=True)
        trial.imagine(opening)
        placing = await trial.plan("app.place", name=self.idle, bounds=[50, 50, 650, 450])
        nothing_yet = await trial.backend.reads.running()
        await trial.do(opening, 0)
        await trial.do(placing, 1)

        so(self.idle not in [app.name for app in nothing_yet], "it does not run while it is only planned")
        bounds = (await trial.backend.reads.windows(self.idle))[0].bounds
        equal((bounds.left, bounds.top, bounds.right, bounds.bottom), (50, 50, 650, 450), "where its window is")

    async def test_a_batch_sees_what_it_quits_as_gone(self) -> None:
        """Plan quitting an application, then activating it."""
        trial = self.trial()

        trial.imagine(await trial.plan("app.quit", name=self.running))
        no = await refusal_of(trial.plan("app.activate", name=self.running, launch_if_needed=False))

        equal(no.code, "app.not_running", "why not")
        so(await self._runs(Trial(APPS, trial.backend), self.running), "it really runs")

    async def test_the_world_is_asked_what_became_of_a_step(self) -> None:
        """Settle a step before and after it is done."""
        trial = self.trial()
        plan = await trial.plan("app.quit", name=self.running)
        change = plan.changes[0]

        before = await trial.backend.settle(change.do, change.expects)
        (left,) = await trial.do(plan)
        after = await trial.backend.settle(change.do, change.expects)

        so(not (isinstance(before, Applied)), "it was not done before it was")
        equal(after, left, "what it left")

    async def test_what_cannot_be_taken_back_says_so(self) -> None:
        """Check that opening and quitting declare that they cannot be undone."""
        trial = self.trial()

        for plan in (await trial.plan("app.open", name=self.idle), await trial.plan("app.quit", name=self.running)):
            so(isinstance(plan.changes[0].undo, CannotUndo), f"there is no way back of {plan.summary}")

    async def _runs(self, trial: Trial, name: str) -> bool:
        return name in cast("list[str]", (await trial.answer("app.list")).data["apps"])

    async def _app(self, trial: Trial, name: str) -> RunningApp:
        return next(app for app in await trial.backend.reads.running() if app.name == name)

    async def _window(self, trial: Trial) -> AppWindow:
        return (await trial.backend.reads.windows(self.running))[0]

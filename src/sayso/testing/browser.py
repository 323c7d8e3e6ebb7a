"""The tests that every browser backend must pass; the backend's test class inherits them."""

from typing import cast

from sayso.core.conversation import ContextLimits
from sayso.core.plan import Applied
from sayso.core.ports import Backend
from sayso.providers.browser import BROWSER
from sayso.providers.browser.model import CloseTabs
from sayso.providers.browser.numbers import tabs_context
from sayso.testing.harness import Trial, equal, refusal_of, so


class BrowserSuite:
    """A test class inherits these tests, and defines how to `make` a backend.

    The backend has two windows, with two and three tabs. All tabs have different addresses, and the first one is in
    front. None of them shows the address `elsewhere`.
    """

    elsewhere = "https://elsewhere.example/"

    def make(self) -> Backend:
        """Return a backend with new windows and tabs."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(BROWSER, self.make())

    async def test_tabs_are_numbered_over_all_windows(self) -> None:
        """List the five tabs, each with its number, the number of its window, and its number in that window."""
        found = [
            (tab["index"], tab["window_index"], tab["local_index"], tab["is_active"])
            for tab in await _tabs(self.trial())
        ]

        wanted = [(1, 1, 1, True), (2, 1, 2, False), (3, 2, 1, False), (4, 2, 2, False), (5, 2, 3, False)]
        equal(found, wanted, "numbers and places")

    async def test_a_model_is_told_every_tab_and_what_the_browser_says_itself(self) -> None:
        """Read the context for a model: each tab under its number, and the browser's own list of tabs if it has one."""
        trial = self.trial()

        parsed, *raw = await tabs_context(trial.seen, ContextLimits(()))

        equal(parsed.data, await _tabs(trial), "the tabs that a model is shown")
        shown = [fact.about for fact in parsed.shown]
        equal(shown, [tab.id for tab in (await trial.seen.snapshot("default")).tabs], "what the numbers stand for")
        for piece in raw:
            so(all(url in str(piece.data) for url in await _urls(trial)), "every address stands in the browser's words")

    async def test_a_tab_comes_to_the_front_and_goes_back(self) -> None:
        """Switch to the first tab of the second window, then undo."""
        trial = self.trial()

        plan = await trial.plan("tab.switch", index=3)
        lefts = await trial.do(plan)
        front = await _front(trial)
        await trial.take_back(plan, lefts)

        equal((front, await _front(trial)), ([3], [1]), "which tab is in front, then and now")

    async def test_tabs_are_closed_highest_first_and_come_back(self) -> None:
        """Close three tabs, one of them named twice, then undo."""
        trial = self.trial()
        before = await _urls(trial)

        plan = await trial.plan("tab.close", indices=[2, 5, 4, 2])
        lefts = await trial.do(plan)
        left = await _urls(trial)
        await trial.take_back(plan, lefts)

        step = plan.changes[0].do
        ids = {tab.id: tab.index for tab in (await self.trial().backend.reads.snapshot("default")).tabs}
        if isinstance(step, CloseTabs) and set(step.tabs) <= set(ids):
            equal([ids[tab] for tab in step.tabs], [5, 4, 2], "the order of closing")
        equal(left, [before[0], before[2]], "what was left")
        equal(await _urls(trial), before, "what is there again")

    async def test_one_wrong_number_closes_nothing(self) -> None:
        """Close a tab that exists and one that does not."""
        trial = self.trial()

        no = await refusal_of(trial.plan("tab.close", indices=[2, 99]))

        equal(str(no), "there is no tab 99; there are 5 tabs, numbered 1 to 5", "what is said")

    async def test_numbers_keep_their_meaning_within_a_batch(self) -> None:
        """Plan closing tab 2, then switching to tab 3, then to the closed tab."""
        trial = self.trial()
        before = await _urls(trial)

        closing = await trial.plan("tab.close", indices=[2])
        trial.imagine(closing)
        switching = await trial.plan("tab.switch", index=3)
        no = await refusal_of(trial.plan("tab.switch", index=2))
        await trial.do(closing, 0)
        await trial.do(switching, 1)

        equal((await trial.answer("tab.url")).data["text"], before[2], "the tab in front")
        equal(no.code, "tab.closed", f"what is said of the closed one: {no}")

    async def test_numbers_mean_the_tabs_that_were_shown(self) -> None:
        """Show five tabs, close the first, and check which tabs the old numbers mean."""
        trial = self.trial()
        tabs = (await trial.backend.reads.snapshot("default")).tabs
        ids = {tab.id: tab.index for tab in tabs}

        await trial.do(await trial.plan("tab.close", indices=[1]))
        reads = trial.backend.reads.as_shown(tuple(tab.fact for tab in tabs))
        again = await reads.snapshot("default")

        equal({tab.id: tab.index for tab in again.tabs if tab.index > 1}, dict(list(ids.items())[1:]), "numbers")
        equal(len(again.tabs), 4, "how many are open")

    async def test_an_address_opens_in_a_new_tab_that_can_be_closed_again(self) -> None:
        """Open an address that is open already, which still makes a new tab; then undo."""
        trial = self.trial()
        before = await _urls(trial)

        plan = await trial.plan("url.open", url=before[3])
        lefts = await trial.do(plan)
        opened = await _urls(trial)
        await trial.take_back(plan, lefts)

        equal(plan.said_when_done, "Opened URL", "what is said")
        equal(sorted(opened), sorted([*before, before[3]]), "what was open")
        equal(await _urls(trial), before, "what is open again")

    async def test_an_address_that_the_person_wrote_is_no_models(self) -> None:
        """Plan to open an address of an unknown site; if the person wrote it, nothing in it counts as a model's."""
        trial = self.trial()
        url = "https://intranet.example/x?week=7"

        plan = await trial.plan("url.open", url=url)
        trial.seen = trial.seen.as_written(f"open {url}")
        theirs = await trial.plan("url.open", url=url)

        equal(len(plan.sends), 2, "what tells the site something")
        equal(theirs.sends, (), "what tells it something that is not the person's")

    async def test_a_new_tab_that_was_used_since_is_left_alone(self) -> None:
        """Open a tab, load another page in it, then undo the opening."""
        trial = self.trial()
        before = await _urls(trial)
        plan = await trial.plan("url.open", url=before[3])
        lefts = await trial.do(plan)
        await trial.do(await trial.plan("url.open", url=self.elsewhere, new_tab=False))

        await refusal_of(trial.take_back(plan, lefts))

        so(self.elsewhere in await _urls(trial), "it is still open")

    async def test_a_tab_that_shows_another_page_meanwhile_is_left_alone(self) -> None:
        """Plan closing the tab in front, load another page in it, then close it."""
        trial = self.trial()
        closing = await trial.plan("tab.close", indices=[1])
        await trial.do(await trial.plan("url.open", url=self.elsewhere, new_tab=False))

        await refusal_of(trial.do(closing))

        equal(len(await _urls(trial)), 5, "how many tabs are open")

    async def test_an_address_in_the_same_tab_goes_back(self) -> None:
        """Open an address without a new tab, then undo."""
        trial = self.trial()
        before = await _urls(trial)

        plan = await trial.plan("url.open", url=self.elsewhere, new_tab=False)
        lefts = await trial.do(plan)
        shown = await _urls(trial)
        await trial.take_back(plan, lefts)

        equal(shown, [self.elsewhere, *before[1:]], "what was shown")
        equal(await _urls(trial), before, "what is shown again")

    async def test_the_world_is_asked_what_became_of_a_step(self) -> None:
        """Settle a step before and after it is done."""
        trial = self.trial()
        plan = await trial.plan("tab.close", indices=[2])
        change = plan.changes[0]

        before = await trial.backend.settle(change.do, change.expects)
        (left,) = await trial.do(plan)

        so(not (isinstance(before, Applied)), "it was not done before it was")
        equal(await trial.backend.settle(change.do, change.expects), left, "what it left")


async def _tabs(trial: Trial) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", (await trial.answer("tab.list")).data["tabs"])


async def _urls(trial: Trial) -> list[str]:
    return [str(tab["url"]) for tab in await _tabs(trial)]


async def _front(trial: Trial) -> list[object]:
    return [tab["index"] for tab in await _tabs(trial) if tab["is_active"]]

"""What everything that keeps the state of triggers must hold, as a suite that its test class inherits."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from sayso.core.triggers import TriggerState, TriggerStates
from sayso.testing.sessions import ODD
from sayso.testing.trying import equal, so


class TriggerStatesSuite:
    """Inherit it, say how to `open` an empty place for them, and run it with pytest."""

    def open(self) -> AbstractAsyncContextManager[TriggerStates]:
        """Return a context in which nothing is kept yet."""
        raise NotImplementedError

    async def test_a_new_trigger_has_no_past(self) -> None:
        """Where nothing is kept, all of it is empty."""
        async with self.open() as states:
            equal(await states.of("wrap-up"), TriggerState("wrap-up"), "a new one")

    async def test_what_is_kept_comes_back_equal(self) -> None:
        """Every member survives, whatever is in it."""
        kept = TriggerState(
            ODD.replace("\ud800", ""),
            off=True,
            when="daily 18:00",
            seen="2026-03-14T17:00:00+00:00",
            known=("a\x01", "ü\u2028", "🎉"),
            fired="2026-03-14T17:00:01+00:00",
            run="run_1",
            said=ODD,
        )
        async with self.open() as states:
            so(await states.move(kept), "the first move")

            equal(await states.of(kept.name), replace(kept, turn=1), "what is kept")
            equal(await states.of("another"), TriggerState("another"), "another one")

    async def test_of_two_that_read_the_same_one_moves_it_on(self) -> None:
        """Whoever comes second is told, and nothing of theirs is kept."""
        async with self.open() as states:
            first = await states.of("wrap-up")
            equal([await states.move(replace(first, said=who)) for who in "ab"], [True, False], "the first turn")
            second = await states.of("wrap-up")
            equal([await states.move(replace(second, said=who)) for who in "cd"], [True, False], "a later turn")

            equal((await states.of("wrap-up")).said, "c", "who won")
            so(not await states.move(replace(first, said="e")), "who read it long ago is too late")

"""The conformance suites of what keeps sessions and the state of triggers."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from sayso.core.conversation import Exchange, Sessions, Told, TriggerState, TriggerStates
from sayso.testing.harness import equal, so

ODD = 'line\nU+2028 \u2028 quote " back \\ half \ud800 tab \t 🎉 \x01\x1f'


def an_exchange(session: str = "s1", second: int = 0, **members: Any) -> Exchange:
    """Return an exchange that was said so many seconds after noon."""
    usual = Exchange(session, "commands", f"2026-03-14T12:00:{second:02}.000Z", "switch to reddit", '{"commands": []}')
    return replace(usual, **members)


class SessionsSuite:
    """Inherit it, say how to `open` an empty place for sessions, and run it with pytest."""

    def open(self) -> AbstractAsyncContextManager[Sessions]:
        """Return a context in which nothing is kept yet."""
        raise NotImplementedError

    async def test_what_was_said_comes_back_equal_and_in_its_order(self) -> None:
        """Every member of an exchange survives, whatever is in it."""
        trace = {"context": {"tabs": [{"title": ODD}]}, "results": [], "deep": [None, True, 0.5, -1]}
        first = an_exchange(words=ODD, reply=ODD, asked_back=True, runs=("run_a", "run_b"), trace=trace)
        second = an_exchange(second=1)
        async with self.open() as sessions:
            await sessions.keep(first)
            await sessions.keep(second)
            await sessions.keep(an_exchange("s2"))

            equal(await sessions.exchanges("s1"), [first, second], "what was said")
            equal(await sessions.exchanges("s1", 1), [second], "the last of it")
            equal(await sessions.exchanges("s3"), [], "another session")

    async def test_a_run_leads_to_what_it_came_of(self) -> None:
        """Each run of an exchange is found."""
        said = an_exchange(runs=("run_a", "run_b"))
        async with self.open() as sessions:
            await sessions.keep(said)
            await sessions.keep(an_exchange(second=1, runs=("run_c",)))

            equal([await sessions.of_run(run) for run in ("run_a", "run_b")], [said, said], "of its runs")
            equal(await sessions.of_run("run_x"), None, "of another run")

    async def test_a_session_is_named_after_its_first_words_and_counted(self) -> None:
        """The one last spoken in comes first."""
        async with self.open() as sessions:
            await sessions.keep(an_exchange("s1", words="first\n  words " + "x" * 100, entry="chat"))
            await sessions.keep(an_exchange("s2", second=1))
            await sessions.keep(an_exchange("s1", second=2, words="others"))

            one, two = await sessions.all()
            equal((one.id, one.exchanges, one.entry), ("s1", 2, "chat"), "the session last spoken in")
            so(one.name.startswith("first words xxx") and one.name.endswith("…"), "its name is one short line")
            equal((one.begun, one.last), ("2026-03-14T12:00:00.000Z", "2026-03-14T12:00:02.000Z"), "its times")
            equal(two.id, "s2", "the other one")
            equal(await sessions.session("s1"), one, "one by its id")
            equal(await sessions.session("s3"), None, "one that there is not")
            equal([session.id for session in await sessions.all(1)], ["s1"], "only so many")

    async def test_a_session_can_be_renamed_and_forgotten(self) -> None:
        """What is forgotten is gone with all that was said in it, and nothing else is."""
        async with self.open() as sessions:
            await sessions.keep(an_exchange("s1", runs=("run_a",)))
            await sessions.keep(an_exchange("s2", runs=("run_b",)))

            so(await sessions.give_name("s1", "Work"), "it is renamed")
            await sessions.keep(an_exchange("s1", second=1))
            equal([one.name for one in await sessions.all() if one.id == "s1"], ["Work"], "its name stays")
            so(not await sessions.give_name("s3", "Work"), "what there is not is not renamed")
            equal([await sessions.delete("s1"), await sessions.delete("s1")], [True, False], "forgetting")
            equal(await sessions.exchanges("s1"), [], "what was said in it")
            equal(await sessions.of_run("run_a"), None, "what its run came of")
            equal(len(await sessions.exchanges("s2")), 1, "what was said elsewhere")

    async def test_what_is_told_takes_the_place_of_what_was_told(self) -> None:
        """One value for each name, with when it was told."""
        mood, work = Told("mood", ODD, "2026-03-14T12:00:00.000Z"), Told("work_minutes", 95, "2026-03-14T12:00:01.000Z")
        projects = Told("projects", ["A", "B"], "2026-03-14T12:00:02.000Z")
        async with self.open() as sessions:
            for told in (work, replace(mood, value="calm"), projects, mood):
                await sessions.tell(told)

            equal(await sessions.told(), [mood, projects, work], "what is told")
            equal([await sessions.forget("mood"), await sessions.forget("mood")], [True, False], "forgetting")
            equal(await sessions.told(), [projects, work], "what is left")


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

"""The tests that every calendar backend must pass; the backend's test class inherits them."""

import itertools
from datetime import datetime, timedelta
from typing import cast

from sayso.core.plan import Applied, NotDone
from sayso.core.ports import Backend
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.repeats import rings
from sayso.providers.calendar.store import Calendar
from sayso.testing.harness import Trial, equal, refusal_of, so


class CalendarSuite:
    """A test class inherits these tests, and defines how to `make` a backend with an empty calendar."""

    def make(self) -> Backend:
        """Return a backend with an empty calendar."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(CALENDAR, self.make())

    async def test_an_event_is_created_and_taken_back(self) -> None:
        """Create an event, find it, and undo it."""
        trial = self.trial()
        plan = await trial.plan(
            "calendar.create_event", title=" Lunch ", start=on(trial, "12:00"), end=on(trial, "13:30")
        )

        lefts = await trial.do(plan)

        (event,) = await list_events(trial)
        equal((event["title"], event["all_day"], event["location"]), ("Lunch", False, ""), "the event")
        equal(event["id"], plan.data["id"], "its id")
        await trial.take_back(plan, lefts)
        equal(await list_events(trial), [], "the events after undo")

    async def test_an_event_has_its_place_and_names_whom_it_is_told_to(self) -> None:
        """Create an event with a place, and one with participants; plan to change and delete the latter (CA-02)."""
        trial = self.trial()
        times = {"start": on(trial, "12:00"), "end": on(trial, "13:00")}
        await trial.do(await trial.plan("calendar.create_event", title="Lunch", location=" Café; Ünï, 2 ", **times))
        (event,) = await list_events(trial)
        equal(event["location"], "Café; Ünï, 2", "the place")

        people = ["ana@example.org", "bo@example.org"]
        plan = await trial.plan("calendar.create_event", title="Talk", participants=people, **times)
        await trial.do(plan)

        for said in (
            plan,
            await trial.plan("calendar.update_event", id=str(plan.data["id"]), title="Chat"),
            await trial.plan("calendar.delete_event", id=str(plan.data["id"])),
        ):
            so(said.asks and said.warns, f"“{said.summary}” asks in every mode, and says why")
            so(all(any(one in sent for sent in said.sends) for one in people), f"{said.sends} name {people}")

    async def test_a_calendar_that_there_is_not_is_a_failure(self) -> None:
        """Name an unknown calendar for an event and for a reminder."""
        trial = self.trial()
        times = {"start": on(trial, "12:00"), "end": on(trial, "13:00")}

        for operation, more in (("calendar.create_event", times), ("reminder.create", {})):
            no = await refusal_of(trial.plan(operation, title="x", calendar_name="Nowhere", **more))
            so("Nowhere" in str(no), f"{no} names it")

    async def test_today_lists_what_touches_today(self) -> None:
        """List today's events, when there are also events across midnight, all day, and on other days."""
        trial = self.trial()
        day = reads(trial).now().date()
        yesterday, tomorrow = day - timedelta(days=1), day + timedelta(days=1)
        for title, start, end in (
            ("Lunch", f"{day} 12:00", f"{day} 13:00"),
            ("Night", f"{yesterday} 22:00", f"{day} 01:00"),
            ("Trip", f"{day}", f"{tomorrow}"),
            ("Gone", f"{yesterday}", f"{day}"),
            ("Before", f"{yesterday} 10:00", f"{day} 00:00"),
            ("Later", f"{tomorrow} 00:00", f"{tomorrow} 01:00"),
        ):
            await trial.do(await trial.plan("calendar.create_event", title=title, start=start, end=end))

        answer = await trial.answer("calendar.today")

        found = cast("list[dict[str, object]]", answer.data["events"])
        equal([event["title"] for event in found], ["Night", "Trip", "Lunch"], "today's events")
        so("12:00 to 13:00: Lunch" in answer.text and "all day: Trip" in answer.text, f"{answer.text} names times")

    async def test_a_range_lists_its_events_in_order(self) -> None:
        """List one day, several days, an hour, and the next days."""
        trial = self.trial()
        today = reads(trial).now().date()
        day = {n: today + timedelta(days=n) for n in range(9)}
        for title, start, end in (
            ("Late", f"{day[4]} 23:00", f"{day[5]} 01:00"),
            ("Trip", f"{day[3]}", f"{day[5]}"),
            ("Early", f"{day[3]} 07:00", f"{day[3]} 08:00"),
            ("Now", f"{day[0]} 12:00", f"{day[0]} 13:00"),
            ("Next week", f"{day[7]} 00:00", f"{day[7]} 01:00"),
        ):
            await trial.do(await trial.plan("calendar.create_event", title=title, start=start, end=end))

        for arguments, titles in (
            ({}, ["Now", "Trip", "Early", "Late"]),
            ({"start": f"{day[3]}"}, ["Trip", "Early"]),
            ({"start": f"{day[3]}", "end": f"{day[5]}"}, ["Trip", "Early", "Late"]),
            ({"start": f"{day[5]}"}, ["Late"]),
            ({"start": f"{day[4]} 23:30", "end": f"{day[4]} 23:45"}, ["Trip", "Late"]),
            ({"start": f"{day[7]}", "end": f"{day[8]}"}, ["Next week"]),
            ({"start": f"{day[8]}"}, []),
        ):
            found = cast("list[dict[str, object]]", (await trial.answer("calendar.list", **arguments)).data["events"])
            equal([event["title"] for event in found], titles, f"the events of {arguments}")
        answer = await trial.answer("calendar.list", start=f"{day[3]}", end=f"{day[5]}", limit=1)
        so("(2 more are not shown)" in answer.text, f"{answer.text} says what it leaves out")
        no = await refusal_of(trial.answer("calendar.list", calendar_name="Nowhere"))
        so("Nowhere" in str(no), f"{no} names it")

    async def test_a_change_keeps_the_rest_and_goes_back(self) -> None:
        """Change title, place, start and end, alone and together; undo each change."""
        trial = await plant_event(self.trial())
        (before,) = await list_events(trial)
        event = str(before["id"])
        for arguments in (
            {"title": "Supper"},
            {"location": "Café Ünï"},
            {"start": on(trial, "18:00")},
            {"end": on(trial, "14:00")},
            {"title": "Supper", "start": on(trial, "18:00"), "end": on(trial, "19:00"), "location": "Home"},
        ):
            plan = await trial.plan("calendar.update_event", id=event, **arguments)

            lefts = await trial.do(plan)

            (now,) = await list_events(trial)
            so(now != before, f"{arguments} changed something")
            equal(
                (await trial.plan("calendar.update_event", id=event, **arguments)).changes, (), "what it changes again"
            )
            await trial.take_back(plan, lefts)
            equal(await list_events(trial), [before], f"the events after {arguments} and undo")

    async def test_a_moved_event_takes_as_long_as_before(self) -> None:
        """Change only the start; the end moves with it."""
        trial = await plant_event(self.trial())
        (before,) = await list_events(trial)

        await trial.do(await trial.plan("calendar.update_event", id=str(before["id"]), start=on(trial, "18:15")))

        (now,) = await list_events(trial)
        so("T18:15" in str(now["start"]) and "T19:45" in str(now["end"]), f"{now} begins 18:15 and ends 19:45")

    async def test_a_deleted_event_comes_back_whole(self) -> None:
        """Delete an event, and undo that."""
        trial = await plant_event(self.trial())
        before = await list_events(trial)
        plan = await trial.plan("calendar.delete_event", id=str(before[0]["id"]))

        lefts = await trial.do(plan)

        equal(await list_events(trial), [], "the events")
        await trial.take_back(plan, lefts)
        equal(await list_events(trial), before, "the events after undo")

    async def test_an_event_changed_since_is_not_touched(self) -> None:
        """Plan a change and a deletion, let another change come first, then try both (CA-04)."""
        trial = await plant_event(self.trial())
        event = str((await list_events(trial))[0]["id"])
        change = await trial.plan("calendar.update_event", id=event, title="Supper")
        deletion = await trial.plan("calendar.delete_event", id=event)
        other = await trial.plan("calendar.update_event", id=event, location="Elsewhere")
        lefts = await trial.do(other, 1)
        before = await list_events(trial)

        await refusal_of(trial.do(change))
        await refusal_of(trial.do(deletion))
        equal(await list_events(trial), before, "the events")

        await trial.do(await trial.plan("calendar.update_event", id=event, title="Brunch"), 2)
        before = await list_events(trial)
        await refusal_of(trial.take_back(other, lefts))
        equal(await list_events(trial), before, "the events after a refused undo")

    async def test_a_uid_that_is_taken_is_never_written_over(self) -> None:
        """Do the same plan twice; the second time it is refused."""
        trial = self.trial()
        plan = await trial.plan(
            "calendar.create_event", title="Lunch", start=on(trial, "12:00"), end=on(trial, "13:00")
        )
        await trial.do(plan)

        await refusal_of(trial.do(plan))

        equal(len(await list_events(trial)), 1, "the number of events")

    async def test_a_reminder_is_created_and_taken_back(self) -> None:
        """Create reminders without a time, on a day and at a time, and undo each; timed ones are listed first."""
        trial = self.trial()
        for title, arguments in (
            ("Whenever", {"notes": "Line one\nline two"}),
            ("On a day", {"due": "2031-05-02"}),
            ("At a time", {"due": "2031-05-01 14:00"}),
        ):
            plan = await trial.plan("reminder.create", title=title, **arguments)
            await trial.take_back(plan, await trial.do(plan))
            left = (await reads(trial).reminders()).reminders
            equal([one.title for one in left if one.title == title], [], "after undo")
            await trial.do(await trial.plan("reminder.create", title=title, **arguments))

        found = (await reads(trial).reminders()).reminders

        equal([one.title for one in found], ["At a time", "On a day", "Whenever"], "the reminders")
        equal(found[2].notes, "Line one\nline two", "the notes")
        equal([one.due[:10] for one in found], ["2031-05-01", "2031-05-02", ""], "when they are due")

    async def test_a_reminder_is_completed_and_taken_back(self) -> None:
        """Complete a reminder by its title and one by its id, list both as done, and undo that."""
        trial = self.trial()
        for title in ("Call", "Pay"):
            await trial.do(await trial.plan("reminder.create", title=title, due="2031-05-02 09:00", notes="Notes"))
        before = await list_reminders(trial)
        equal([one["title"] for one in before], ["Call", "Pay"], "the open reminders")
        call = await trial.plan("reminder.complete", reminder="cALL")

        lefts = await trial.do(call)
        await trial.do(await trial.plan("reminder.complete", reminder=str(before[1]["id"])))

        equal(await list_reminders(trial), [], "the open reminders")
        done = await list_reminders(trial, state="done")
        equal([(one["title"], bool(one["completed"])) for one in done], [("Call", True), ("Pay", True)], "those done")
        equal((await trial.plan("reminder.complete", reminder=str(before[0]["id"]))).changes, (), "what is done again")
        await trial.take_back(call, lefts)
        equal(await list_reminders(trial), before[:1], "the open reminders after undo")

    async def test_a_repeating_reminder_is_due_again_after_its_completion(self) -> None:
        """Complete each time of reminders that repeat, and undo one completion."""
        trial = self.trial()
        for arguments, dues in (
            ({"due": "2031-05-02 09:00", "repeat": "daily", "count": 3}, ["05-02", "05-03", "05-04", ""]),
            ({"due": "2031-01-31", "repeat": "monthly", "until": "2031-06-01"}, ["01-31", "03-31", "05-31", ""]),
            ({"due": "2031-05-03 08:30", "repeat": "weekdays"}, ["05-05", "05-06"]),
            ({"due": "2032-02-29", "repeat": "yearly"}, ["02-29", "02-29"]),
            ({"due": "2031-05-02 09:00", "repeat": "weekly", "interval": 2}, ["05-02", "05-16"]),
        ):
            await trial.do(await trial.plan("reminder.create", title="Water", **arguments))
            (before,) = await list_reminders(trial)
            uid = str(before["id"])
            for due, then in itertools.pairwise(dues):
                (now,) = await list_reminders(trial)
                equal(str(now["due"])[5:10], due, f"when {arguments} is due")
                plan = await trial.plan("reminder.complete", reminder=uid)
                lefts = await trial.do(plan)
                await trial.take_back(plan, lefts)
                equal(await list_reminders(trial), [now], "the reminder after undo")
                await trial.do(await trial.plan("reminder.complete", reminder=uid))
                after = await list_reminders(trial)
                equal([str(one["due"])[5:10] for one in after], [then] * bool(then), f"when {arguments} is due next")
            await trial.do(await trial.plan("reminder.delete", reminder=uid))

    async def test_a_deleted_reminder_comes_back_whole(self) -> None:
        """Delete a reminder that repeats, and undo that."""
        trial = self.trial()
        await trial.do(await trial.plan("reminder.create", title="Water", due="2031-05-02", repeat="daily"))
        before = await list_reminders(trial)
        plan = await trial.plan("reminder.delete", reminder="Water")

        lefts = await trial.do(plan)

        equal(await list_reminders(trial), [], "the reminders")
        await trial.take_back(plan, lefts)
        equal(await list_reminders(trial), before, "the reminders after undo")

    async def test_a_reminder_changed_since_is_not_touched(self) -> None:
        """Plan a completion and a deletion, let another completion come first, then try both."""
        trial = self.trial()
        await trial.do(await trial.plan("reminder.create", title="Water", due="2031-05-02", repeat="daily"))
        complete = await trial.plan("reminder.complete", reminder="Water")
        delete = await trial.plan("reminder.delete", reminder="Water")
        await trial.do(await trial.plan("reminder.complete", reminder="Water"), 1)
        before = await list_reminders(trial)

        await refusal_of(trial.do(complete))
        await refusal_of(trial.do(delete))

        equal(await list_reminders(trial), before, "the reminders")

    async def test_a_reminder_rings_when_it_is_due(self) -> None:
        """Create a timer, a reminder of a day, one at a time, and one that repeats; read when they ring."""
        trial = self.trial()
        now = reads(trial).now()
        for title, arguments in (
            ("Tea", {"in_minutes": 20}),
            ("Bin", {"due": "2031-05-02"}),
            ("Call", {"due": "2031-05-01 14:00"}),
            ("Pill", {"due": "2031-05-01 20:00", "repeat": "daily"}),
            ("Whenever", {}),
        ):
            await trial.do(await trial.plan("reminder.create", title=title, **arguments))

        found = (await reads(trial).reminders()).reminders
        ringing = rings(found, now, datetime(2031, 5, 3, tzinfo=reads(trial).zone()), reads(trial).zone())

        near, *later = [(one.reminder.title, one.at.astimezone(reads(trial).zone())) for one in ringing]
        equal(near[0], "Tea", "what rings first")
        so(timedelta(minutes=19) < near[1] - now <= timedelta(minutes=20), f"{near[1]} is 20 minutes after {now}")
        equal(
            [(title, f"{when:%m-%d %H:%M}") for title, when in later],
            [("Call", "05-01 14:00"), ("Pill", "05-01 20:00"), ("Bin", "05-02 09:00"), ("Pill", "05-02 20:00")],
            "what rings",
        )

    async def test_reminders_are_listed_by_when_they_are_due(self) -> None:
        """List all reminders, those of a day, those of a range, and those that are overdue."""
        trial = self.trial()
        for title, arguments in (
            ("Whenever", {}),
            ("May", {"due": "2031-05-02 23:30"}),
            ("Day", {"due": "2031-05-02"}),
            ("Later", {"due": "2031-05-03 00:00"}),
            ("Past", {"due": "2020-01-01 10:00"}),
        ):
            await trial.do(await trial.plan("reminder.create", title=title, **arguments))

        for arguments, titles in (
            ({}, ["Past", "Day", "May", "Later", "Whenever"]),
            ({"start": "2031-05-02", "end": "2031-05-03"}, ["Day", "May"]),
            ({"end": "2031-05-02 12:00"}, ["Past", "Day"]),
            ({"start": "2031-05-02 12:00"}, ["May", "Later"]),
            ({"start": "2032-01-01"}, []),
        ):
            found = await list_reminders(trial, **arguments)
            equal([one["title"] for one in found], titles, f"the reminders of {arguments}")
        overdue = [one["title"] for one in await list_reminders(trial) if one.get("overdue")]
        equal(overdue, ["Past"], "what is overdue")

    async def test_a_name_that_several_reminders_have_is_asked_about(self) -> None:
        """Name two reminders with one title, and one that does not exist."""
        trial = self.trial()
        for _ in range(2):
            await trial.do(await trial.plan("reminder.create", title="Twin"))

        several = await refusal_of(trial.plan("reminder.complete", reminder="twin"))
        nothing = await refusal_of(trial.plan("reminder.delete", reminder="Nowhere"))

        so("2 reminders" in str(several), f"{several} says how many")
        so("Nowhere" in str(nothing), f"{nothing} names it")

    async def test_a_batch_sees_what_its_earlier_steps_will_make(self) -> None:
        """Plan creating, changing and deleting an event, before any of these is done."""
        trial = self.trial()
        plans = [
            await trial.plan("calendar.create_event", title="Lunch", start=on(trial, "12:00"), end=on(trial, "13:00"))
        ]
        trial.imagine(plans[-1])
        event = str(plans[0].data["id"])
        for operation, arguments in (
            ("calendar.update_event", {"title": "Supper"}),
            ("calendar.update_event", {"start": on(trial, "18:00")}),
            ("calendar.delete_event", {}),
        ):
            plans.append(await trial.plan(operation, id=event, **arguments))
            trial.imagine(plans[-1])

        for number, plan in enumerate(plans):
            await trial.do(plan, number)

        equal(await list_events(trial), [], "the events")

    async def test_a_step_is_settled_by_its_uid(self) -> None:
        """Settle a step before and after it is done (CA-05)."""
        trial = self.trial()
        plan = await trial.plan(
            "calendar.create_event", title="Lunch", start=on(trial, "12:00"), end=on(trial, "13:00")
        )
        (change,) = plan.changes
        so(isinstance(await trial.backend.settle(change.do, change.expects), NotDone), "it is not done yet")

        (left,) = await trial.do(plan)

        settled = await trial.backend.settle(change.do, change.expects)
        so(isinstance(settled, Applied) and settled == left, "it is done, and left the same")


async def plant_event(trial: Trial) -> Trial:
    """Create an event from 12:00 to 13:30 today, and return the trial."""
    await trial.do(
        await trial.plan("calendar.create_event", title="Lunch", start=on(trial, "12:00"), end=on(trial, "13:30"))
    )
    return trial


def on(trial: Trial, clock: str) -> str:
    """Return this time of today, written as a person writes it."""
    return f"{reads(trial).now().date()} {clock}"


async def list_events(trial: Trial) -> list[dict[str, object]]:
    """Return all events around the current time."""
    answer = await trial.answer("calendar.find")
    return cast("list[dict[str, object]]", answer.data["events"])


async def list_reminders(trial: Trial, **arguments: object) -> list[dict[str, object]]:
    """Return what `reminder.list` finds."""
    answer = await trial.answer("reminder.list", **arguments)
    return cast("list[dict[str, object]]", answer.data["reminders"])


def reads(trial: Trial) -> Calendar:
    """Return the object with the methods that read the calendar, as it is or as it is imagined."""
    return cast("Calendar", trial.seen)

"""What event triggers wait for is seen through the stores, as far as the settings allow it."""

from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

import sayso
from sayso.assistant.triggers.events import GENERATORS, Automated, insights, snapshot_of
from sayso.core.conversation import Trigger, UserNote
from sayso.core.encoding import Json
from sayso.core.errors import Refused
from sayso.testing.fakes import NOON, FakeClock

CALENDAR = """
[calendar]
kind = "memory"
timezone = "UTC"
world = {events = [
  {uid = "a", title = "Near", start = "2026-03-14T12:08:00+00:00", end = "2026-03-14T12:30:00+00:00"},
  {uid = "b", title = "Begun", start = "2026-03-14T11:59:00+00:00", end = "2026-03-14T12:30:00+00:00"},
  {uid = "c", title = "Later", start = "2026-03-14T12:11:00+00:00", end = "2026-03-14T12:30:00+00:00"},
  {uid = "d", title = "Whole day", start = "2026-03-14", end = "2026-03-15", all_day = true},
]}
"""
MAIL = """
[mail]
kind = "memory"
world = {messages = [{message_id = "<1@x>", from_address = "ana@example.org", subject = "Keys"}]}
"""


async def there(home: Path, trigger: Trigger, settings: str = "") -> dict[str, str]:
    own = home / "own"
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text(settings)
    async with sayso.open_home(str(own), environ={"HOME": str(home)}, clock=FakeClock(NOON)) as opened:
        return dict(await snapshot_of(trigger, opened.tools))


@pytest.mark.req("S0-03")
async def test_files_of_a_folder_are_there_by_their_pattern(scratch_home: Path):
    downloads = scratch_home / "Downloads"
    downloads.mkdir(exist_ok=True)
    for name in ("a.pdf", "b.txt", ".c.pdf"):
        (downloads / name).touch()
    (downloads / "d.pdf").mkdir()

    found = await there(scratch_home, Trigger("x", "", event="file", folder=str(downloads), pattern="*.pdf"))

    assert found == {str(downloads / "a.pdf"): "a.pdf"}


async def test_a_folder_outside_of_the_roots_is_not_looked_into(scratch_home: Path):
    (scratch_home / "Downloads").mkdir(exist_ok=True)

    with pytest.raises(Refused):
        await there(scratch_home, Trigger("x", "", event="file", folder="/etc"))


async def test_what_is_switched_off_is_not_looked_at(scratch_home: Path):
    settings = '[policy]\nallowed_operations = ["app.*"]\n'

    with pytest.raises(Refused, match=r"needs mail\.inbox, which is switched off"):
        await there(scratch_home, Trigger("x", "", event="mail"), settings + MAIL)


async def test_mails_of_the_inbox_are_there(scratch_home: Path):
    found = await there(scratch_home, Trigger("x", "", event="mail"), MAIL)

    assert found == {"<1@x>": "ana@example.org: Keys"}


async def test_events_that_begin_soon_are_near(scratch_home: Path):
    found = await there(scratch_home, Trigger("x", "", event="calendar", minutes_before=10), CALENDAR)

    assert list(found.values()) == ["Near, 12:08"]


class Moment(Struct, frozen=True):
    told: tuple[UserNote, ...]
    now = NOON


def told(*insights: Json) -> Moment:
    return Moment((UserNote("mood", "organize", "t"), UserNote("insights", [*insights], "t")))


@pytest.mark.req("S0-72", "S0-73")
def test_it_has_a_name_and_rests_for_thirty_minutes():
    assert (GENERATORS["Automated"].name, GENERATORS["Automated"].cooldown_minutes) == ("Automated", 30)


@pytest.mark.req("S0-72", "S0-74")
@pytest.mark.parametrize(
    ("texts", "fires"),
    [
        (["Wants to Organize downloads"], True),
        (["tired", {"text": "REORGANIZE the desk"}], True),
        (["organise"], False),
        ([], False),
        ([3, None, {"words": "organize"}], False),
    ],
)
async def test_it_fires_when_an_insight_speaks_of_organizing(texts: list[Json], fires: bool):
    assert Automated().fires(told(*texts)) is fires
    assert (await Automated().make(told(*texts)) is not None) is fires


def test_one_insight_may_stand_alone_and_none_at_all():
    assert insights(Moment((UserNote("insights", "organize", "t"),))) == ("organize",)
    assert insights(Moment(())) == ()


@pytest.mark.req("S0-75")
async def test_its_action_has_five_fields():
    action = await Automated().make(told("Wants to Organize downloads"))

    assert msgspec.to_builtins(action) == {
        "type": "automation",
        "title": "Automated Action",
        "message": "Wants to Organize downloads",
        "source": "Automated",
        "priority": 3,
    }

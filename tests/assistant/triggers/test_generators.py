"""The sample generator: what it notices, and what it makes of it."""

import msgspec
import pytest

from sayso.assistant.triggers.generators import GENERATORS, Automated, insights
from sayso.core.canonical import Json
from sayso.core.sessions import Told
from sayso.core.values import dataclass
from sayso.testing.fakes import NOON


@dataclass(frozen=True)
class Moment:
    told: tuple[Told, ...]
    now = NOON


def told(*insights: Json) -> Moment:
    return Moment((Told("mood", "organize", "t"), Told("insights", [*insights], "t")))


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
    assert insights(Moment((Told("insights", "organize", "t"),))) == ("organize",)
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

"""A web in memory records requests and answers with what was planted."""

import json

import pytest

from sayso.core.errors import SetupError
from sayso.core.plan import Left, NotDone
from sayso.core.ports import Ground
from sayso.providers.web import WEB
from sayso.providers.web.memory import Reply, World, build, memory_backend
from sayso.providers.web.model import Fetch, Fetched
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_a_request_is_recorded_and_leaves_its_planted_reply():
    reply = Reply("https://x.org/a", "POST", 201, {"Content-Type": "text/plain"}, "made")
    backend = memory_backend(NumberedIds(), World((reply,)), lasting=True)
    trial = Trial(WEB, backend)
    plan = await trial.plan(
        "net.fetch", url="https://x.org/a", options={"method": "POST", "headers": {"X-One": "1"}, "body": "ü"}
    )
    before = await backend.settle(plan.changes[0].do, ())

    (left,) = await trial.do(plan)

    assert isinstance(before, NotDone)
    assert backend.world.sent == (Fetch("token000000000000001", "POST", "https://x.org/a", ("X-One: 1",), "ü"),)
    assert left == Left((Fetched("token000000000000001", 201, ("Content-Type: text/plain",), "made"),))
    assert await backend.settle(plan.changes[0].do, ()) == left


async def test_a_request_without_a_planted_reply_fails_and_is_not_recorded():
    backend = build(ground(world={"replies": [{"url": "https://x.org/"}]}))
    trial = Trial(WEB, backend)

    no = await refusal_of(trial.do(await trial.plan("net.fetch", url="https://x.org/other")))

    assert str(no) == "no reply is planted for GET https://x.org/other; nothing was sent"
    assert backend.world.sent == ()


@pytest.mark.parametrize("world", ['{"replies": [{}]}', '{"reply": []}', '{"replies": [{"url": "x", "status": "ok"}]}'])
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="web"):
        build(ground(world=json.loads(world)))

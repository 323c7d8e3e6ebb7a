"""A web request is shown with all it sends, and takes only what is an address and a header."""

import json

import pytest

from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.memory_backend import View
from sayso.core.plan import Applied, CannotUndo, NotDone, Plan
from sayso.core.ports import BackendContext
from sayso.providers.web import WEB
from sayso.providers.web.addresses import WebAddress
from sayso.providers.web.memory import MemoryWeb, PlantedReply, WebWorld, build, memory_backend
from sayso.providers.web.model import Fetch, Fetched
from sayso.providers.web.operations import fetch
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of


async def planned(url: str, **options: object) -> Plan:
    return await Trial(WEB, memory_backend(NumberedIds(), WebWorld())).plan("net.fetch", url=url, options=options)


async def test_a_request_says_what_it_sends_and_to_whom():
    plan = await planned("https://x.org/a?b=c", method="PUT", headers={"X-One": "1"}, body="ü")

    assert plan.summary == "Send a PUT request to x.org"
    assert plan.sends == ("PUT https://x.org/a?b=c, with 2 bytes",)
    assert plan.preview == "PUT https://x.org/a?b=c\nX-One: 1\n\nü"
    assert isinstance(plan.changes[0].undo, CannotUndo)


async def test_without_options_it_is_a_plain_get():
    plan = await Trial(WEB, memory_backend(NumberedIds(), WebWorld())).plan("net.fetch", url="http://x.org")

    assert plan.sends == ("GET http://x.org/",)


@pytest.mark.req("T-90")
@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:///etc/passwd", "url.scheme"),
        ("ftp://x.org", "url.scheme"),
        ("javascript:alert(1)", "url.scheme"),
        ("x.org", "url.scheme"),
        ("https://", "url.form"),
        ("https:///path", "url.form"),
        ("https://x.org:port/", "url.form"),
        ("https://[::1", "url.form"),
        ("https://x.org/a b", "url.form"),
        ("https://x.org\\@evil.test/", "url.user"),
        ("https://x.org\\evil.test/", "url.form"),
        ("https://ana:secret@x.org/", "url.user"),
        ("ftp://ana:secret@x.org/", "url.user"),
        ("https://ana:secret@x.org:port/", "url.form"),
        ("https://x.org@evil.test/", "url.user"),
    ],
)
async def test_only_plain_web_addresses_are_taken(url: str, code: str):
    with pytest.raises(ProposalError) as refused:
        await planned(url)

    assert refused.value.code == code
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"X\r\nHost": "x"}},
        {"headers": {"X": "a\r\nHost: b"}},
        {"headers": {"Host": "evil.test"}},
        {"headers": {"content-length": "0"}},
        {"headers": {"": "x"}},
        {"headers": {"X": 1}},
        {"headers": {f"X-{number}": "x" for number in range(51)}},
        {"method": "get"},
        {"method": "TRACE"},
        {"method": "GET", "body": "x"},
        {"redirect": "follow"},
        {"body": "\x00", "method": "POST"},
    ],
    ids=lambda options: ascii(options)[:60],
)
async def test_options_that_do_not_fit_are_refused(options: dict[str, object]):
    with pytest.raises(ProposalError):
        await planned("https://x.org/", **options)


@pytest.mark.req("T-90")
async def test_a_host_that_may_not_be_reached_is_refused():
    class Walled(MemoryWeb):
        def why_refused(self, there: WebAddress) -> str:
            return "this computer" if there.host == "127.0.0.1" else ""

    reads = Walled(View(WebWorld), NumberedIds())

    with pytest.raises(Refused, match=r"127\.0\.0\.1"):
        await fetch.function(web=reads, url="http://127.0.0.1:8737/")


def test_it_is_declared_as_the_catalogue_lists_it():
    assert (fetch.id, fetch.kind, fetch.asks, fetch.outside) == ("net.fetch", "external", "click", True)
    assert [parameter.name for parameter in fetch.parameters] == ["url", "options"]


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_a_request_is_recorded_and_leaves_its_planted_reply():
    reply = PlantedReply("https://x.org/a", "POST", 201, {"Content-Type": "text/plain"}, "made")
    backend = memory_backend(NumberedIds(), WebWorld((reply,)), lasting=True)
    trial = Trial(WEB, backend)
    plan = await trial.plan(
        "net.fetch", url="https://x.org/a", options={"method": "POST", "headers": {"X-One": "1"}, "body": "ü"}
    )
    before = await backend.settle(plan.changes[0].do, ())

    (left,) = await trial.do(plan)

    assert isinstance(before, NotDone)
    assert backend.world.sent == (Fetch("token000000000000001", "POST", "https://x.org/a", ("X-One: 1",), "ü"),)
    assert left == Applied((Fetched("token000000000000001", 201, ("Content-Type: text/plain",), "made"),))
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

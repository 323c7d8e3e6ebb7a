"""A request goes once, to the one address that was judged, and what comes back is kept within limits."""

import asyncio
import gzip
import ssl
import zlib
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import Applied, CannotTell, Plan
from sayso.core.ports import BackendContext
from sayso.providers.web import WEB
from sayso.providers.web.addresses import IPAddress, WebAddress, reachable_from, read_web_address
from sayso.providers.web.backend import WebBackend, build
from sayso.providers.web.bodies import Body
from sayso.providers.web.client import HOPS, WebClient
from sayso.providers.web.model import Fetch, Fetched
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from tests.fails import fails
from tests.mail_env.certificates import certificate_of
from tests.web_env.server import WebServer, moved, reply, web_server

SHORT = 0.3


class Names:
    """A resolver of the test: each look-up of a name gives the next of its answers, and the last one again."""

    def __init__(self, **names: Sequence[str]) -> None:
        self.names = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[IPAddress]:
        self.asked.append(host)
        answers = self.names[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return tuple(ip_address(one) for one in found.split(","))


def client(server: WebServer, *hosts: str, **more: Any) -> WebClient:
    listed = tuple(f"{host}:{server.port}" for host in ("127.0.0.1", *hosts))
    more.setdefault("seconds", 20.0)
    return WebClient(listed, **more)


class LedAnywhere(WebClient):
    """A client that a redirect leads to any listed host, as it does to any public one."""

    async def reach(self, there: WebAddress, listed: tuple[str, ...]) -> Sequence[IPAddress]:
        return await super().reach(there, self.listed or listed)


def the_step(plan: Plan) -> Fetch:
    """Return the one request of a plan."""
    (change,) = plan.changes
    assert isinstance(change.do, Fetch)
    return change.do


async def planned(backend: WebBackend, url: str, **options: object) -> Plan:
    return await Trial(WEB, backend).plan("net.fetch", url=url, options=options)


async def sent(client: WebClient, url: str, **options: object) -> Fetched:
    backend = WebBackend(client, NumberedIds())
    plan = await planned(backend, url, **options)
    left = await backend.apply(the_step(plan), ())
    (fact,) = left.facts
    assert isinstance(fact, Fetched)
    return fact


@pytest.mark.req("S3-47", "T-90")
async def test_a_request_arrives_as_it_was_shown_and_its_reply_comes_back():
    async with web_server({"/a": reply("grün".encode(), "X-Two: 2", "Set-Cookie: a=b")}) as server:
        got = await sent(
            client(server),
            server.url("/a?ü=1"),
            method="POST",
            headers={"X-One": "ü 1", "accept": "text/plain"},
            body="ä",
        )

    (one,) = server.requests
    assert (one.line, one.body) == ("POST /a?%C3%BC=1 HTTP/1.1", "ä".encode())
    assert one.headers == {
        "host": f"127.0.0.1:{server.port}", "user-agent": "sayso", "accept": "text/plain",
        "accept-encoding": "identity", "connection": "close", "x-one": "ü 1", "content-length": "2",
    }  # fmt: skip
    assert (got.status, got.body, got.url) == (200, "grün", server.url("/a?%C3%BC=1"))
    assert "x-two: 2" in [header.lower() for header in got.headers]
    assert not any("a=b" in header for header in got.headers)
    assert not got.note


@pytest.mark.req("T-90", "TO-06")
async def test_a_name_that_leads_to_this_computer_is_refused_and_nothing_is_sent():
    names = Names(rebind_test=["127.0.0.1"], mixed_test=["8.8.8.8,10.0.0.1"])
    async with web_server({"/": reply(b"secret")}) as server:
        for host in ("rebind.test", "mixed.test"):
            refused = await refusal_of(sent(client(server, resolve=names), server.url("/", host)))
            assert isinstance(refused, Refused)

    assert server.connections == 0
    assert names.asked == ["rebind.test", "mixed.test"]


@pytest.mark.req("T-90")
async def test_a_name_is_resolved_once_for_each_request_so_that_no_second_answer_counts():
    names = Names(twice_test=["127.0.0.1", "10.0.0.1"])
    async with web_server({"/": reply(b"one")}) as server:
        got = await sent(client(server, "twice.test", resolve=names), server.url("/", "twice.test"))

    assert (got.body, names.asked) == ("one", ["twice.test"])
    assert server.requests[0].headers["host"] == f"twice.test:{server.port}"


@pytest.mark.req("T-90")
async def test_each_redirect_is_resolved_and_judged_again():
    names = Names(first_test=["127.0.0.1", "127.0.0.1"], inside_test=["10.0.0.1"])
    async with web_server({"/": moved("/b"), "/b": moved("//inside.test/keys")}) as server:
        got = await sent(client(server, "first.test", resolve=names), server.url("/", "first.test"))

    assert names.asked == ["first.test", "first.test", "inside.test"]
    assert (got.status, server.lines) == (302, ["GET / HTTP/1.1", "GET /b HTTP/1.1"])
    assert "inside.test is at 10.0.0.1, a private network" in str(got.note)


@pytest.mark.req("T-90")
@pytest.mark.parametrize(
    "to", ["http://127.0.0.1:1/", "http://169.254.169.254/latest/", "http://[::ffff:127.0.0.1]/", "http://2130706433/",
           "file:///etc/passwd", "javascript:alert(1)", "http://u:p@127.0.0.1/", "http://[::1"],
)  # fmt: skip
async def test_a_redirect_to_what_is_not_public_is_not_followed(to: str):
    async with web_server({"/": moved(to)}) as server:
        got = await sent(client(server), server.url())

    assert got.status == 302
    assert str(got.note).startswith("the redirect was not followed: ")
    assert len(server.requests) == 1


@pytest.mark.req("T-90")
async def test_a_public_site_leads_to_no_listed_host_of_this_network():
    async with web_server({"/": reply(b"inside")}) as server:
        asking = client(server)
        public = read_web_address("https://site.example/")
        step = Fetch("1", "GET", server.url())

        with fails(Refused, "web.private", r"another site leads to 127\.0\.0\.1:\d+, which is this computer"):
            await asking.reach(read_web_address(step.url), reachable_from(public, asking.listed))
        got = await asking.send(step)

    assert got.body == "inside"
    assert reachable_from(read_web_address(step.url), asking.listed) == (read_web_address(step.url).netloc,)


async def test_redirects_without_end_are_followed_a_few_times():
    async with web_server({"/": moved("/")}) as server:
        got = await sent(client(server), server.url())

    assert len(server.requests) == HOPS + 1
    assert got.note == "the redirect was not followed: there were more than 5"


@pytest.mark.req("T-90")
async def test_what_was_meant_for_one_origin_does_not_go_to_another():
    secret = {"Authorization": "Bearer 1", "Cookie": "a=b", "X-Key": "k", "Accept": "text/x"}
    async with web_server({"/": reply(b"there")}) as other:
        answers = {"/": moved(other.url()), "/kept": moved(other.url(), "307 Temporary Redirect")}
        async with web_server(answers) as server:
            asking = LedAnywhere((f"127.0.0.1:{server.port}", f"127.0.0.1:{other.port}"))
            got = await sent(asking, server.url(), headers=secret)
            kept = await sent(asking, server.url("/kept"), method="POST", headers=secret, body="b")

    (one,) = other.requests
    assert (got.body, got.url) == ("there", other.url())
    assert one.headers["accept"] == "text/x"
    assert not {"authorization", "cookie", "x-key"} & set(one.headers)
    assert "would send what was meant for" in str(kept.note)


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [("301 M", "POST", "GET"), ("302 F", "POST", "GET"), ("303 S", "PUT", "GET"), ("303 S", "HEAD", "HEAD"),
     ("302 F", "PUT", "PUT"), ("307 T", "POST", "POST"), ("308 P", "DELETE", "DELETE")],
)  # fmt: skip
async def test_method_and_body_after_a_redirect_are_those_of_the_standard(status: str, method: str, then: str):
    options = {} if method in {"HEAD", "DELETE"} else {"body": "b", "headers": {"Content-Type": "text/x"}}
    async with web_server({"/": moved("/b", status), "/b": reply(b"")}) as server:
        await sent(client(server), server.url(), method=method, **options)

    (_, second) = server.requests
    assert second.line == f"{then} /b HTTP/1.1"
    assert (second.body == b"b") is (then == method and bool(options))
    assert ("content-type" in second.headers) is (then == method and bool(options))


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate_of("good.test", tmp_path_factory.mktemp("tls"))


@pytest.mark.req("T-90")
async def test_the_certificate_must_be_for_the_name_and_https_never_leads_to_http(cert: Path):
    names, tls = Names(good_test=["127.0.0.1"], evil_test=["127.0.0.1"]), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert)
    async with web_server({"/": reply(b"safe"), "/down": moved("http://good.test/")}, tls) as server:
        asking = client(
            server, "good.test", "evil.test", resolve=names, tls=ssl.create_default_context(cafile=str(cert))
        )
        good = await sent(asking, server.url("/", "good.test", "https"))
        evil = await refusal_of(sent(asking, server.url("/", "evil.test", "https"), method="POST"))
        down = await sent(asking, server.url("/down", "good.test", "https"))
        plain = await refusal_of(sent(client(server), server.url("/", scheme="https"), method="POST"))

    assert good.body == "safe"
    assert "certificate is for another name" in str(evil)
    assert "nothing was sent" in str(evil)
    assert "from an encrypted connection to one that is not" in str(down.note)
    assert type(plain) is ProviderError


@pytest.mark.req("T-90")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity"])
async def test_a_bomb_is_cut_at_the_limit(encoding: str):
    zeros = b"0" * 50_000_000 if encoding != "identity" else b"0" * 300_000
    packed = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)(zeros)
    async with web_server({"/": reply(packed, f"Content-Encoding: {encoding}")}) as server:
        got = await sent(client(server, most=100_000), server.url())

    assert got.body == "0" * 100_000
    assert got.note == "only the beginning is here: the reply is longer than 100 kB"


@pytest.mark.req("T-90")
def test_what_follows_the_end_of_a_compressed_body_is_neither_kept_nor_read_on():
    body = Body.of("gzip", 100)
    assert body is not None
    assert body.add(gzip.compress(b"whole"))

    more = body.add(b"x" * 10_000)

    assert not more
    assert body.end("utf-8") == ("whole", "only the beginning is here: more follows the end of its compressed form")


@pytest.mark.parametrize(
    ("answer", "body", "note"),
    [
        (reply(gzip.compress(b"whole"), "Content-Encoding: gzip"), "whole", ""),
        (reply(gzip.compress(b"whole")[:-9], "Content-Encoding: gzip"), "whole", "its compressed form breaks off"),
        (reply(gzip.compress(b"whole") + b"x" * 9, "Content-Encoding: gzip"), "whole", "more follows the end of its c"),
        (reply(b"no gzip", "Content-Encoding: gzip"), "", "the rest is compressed wrongly"),
        (reply(b"x", "Content-Encoding: gzip, gzip"), "", "text that is compressed in a way that sayso does not read"),
        (reply(b"\x89PNG" * 750_000, kind="image/png"), "", "a picture of 3 MB, not shown"),
        (reply(b"x", kind="application/pdf"), "", "data of the kind application/pdf of 1 bytes, not shown"),
        (reply(b"x", kind="x\u00fc/\u0080<b>"), "", "data of an unknown kind of 1 bytes, not shown"),
        (reply("ä".encode("latin-1"), kind="text/html; charset=ISO-8859-1"), "ä", ""),
        (reply("ä".encode("utf-16"), kind='text/plain; charset="utf-16"'), "ä", ""),
        (reply("ä".encode(), kind="text/plain; charset=unicode_escape"), "ä", ""),
        (reply("ä".encode(), kind="application/vnd.api+json"), "ä", ""),
        (reply(b"\xef\xbb\xbf\xff", kind=""), "\ufffd", ""),
        (reply(b"", status="204 No Content"), "", ""),
    ],
)
async def test_a_body_is_kept_if_it_is_text(answer: bytes, body: str, note: str):
    async with web_server({"/": answer}) as server:
        got = await sent(client(server), server.url())

    assert got.body == body
    assert note in (got.note or "") if note else not got.note


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nfirst")
    await writer.drain()
    await asyncio.Event().wait()


async def never(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def slow_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.01)


@pytest.mark.req("T-90")
@pytest.mark.parametrize("answer", [never, slow_headers])
async def test_a_server_that_does_not_answer_ends_the_wait_and_only_a_change_is_left_open(answer: Any):
    async with web_server({"/": answer}) as server:
        asked = await refusal_of(sent(client(server, seconds=SHORT), server.url()))
        changed = await refusal_of(sent(client(server, seconds=SHORT), server.url(), method="POST"))

    assert (type(asked), asked.code) == (ProviderError, "web.no_reply")
    assert type(changed) is Uncertain
    assert len(server.requests) == 2


async def test_what_came_of_a_reply_before_it_broke_off_is_kept():
    cut = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nfirst"
    async with web_server({"/slow": drip, "/cut": cut}) as server:
        slow = await sent(client(server, seconds=SHORT), server.url("/slow"), method="POST")
        ended = await sent(client(server), server.url("/cut"), method="POST")

    assert (slow.body, ended.body) == ("first", "first")
    assert slow.note == "only the beginning is here: it did not answer within 0.3 seconds"
    assert str(ended.note).startswith("only the beginning is here: ")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nBad Header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
    ],
)
async def test_what_is_no_reply_is_told_as_none(answer: bytes):
    async with web_server({"/": answer}) as server:
        asked = await refusal_of(sent(client(server), server.url()))
        changed = await refusal_of(sent(client(server), server.url(), method="PUT"))

    assert type(asked) is ProviderError
    assert type(changed) is Uncertain


async def test_headers_of_a_reply_are_kept_within_limits():
    many = [f"X-{number}: {'é' * 2000}" for number in range(20)] + [f"Y-{number}: 1" for number in range(100)]
    async with web_server({"/": reply(b"x", *many)}) as server:
        got = await sent(client(server), server.url())

    assert len(got.headers) == 50
    assert max(map(len, got.headers)) < 1100


async def test_nothing_of_the_environment_sends_the_request_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ana password secret\n")
    async with web_server({"/": reply(b"proxy")}) as proxy, web_server({"/": reply(b"direct")}) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        monkeypatch.setenv("HOME", str(tmp_path))
        got = await sent(client(server), server.url())

    assert (got.body, proxy.connections) == ("direct", 0)
    assert "authorization" not in server.requests[0].headers


async def test_without_a_listening_server_or_a_name_nothing_was_sent():
    async def unknown(host: str, port: int) -> Sequence[IPAddress]:
        raise OSError("no such name")

    async def empty(host: str, port: int) -> Sequence[IPAddress]:
        return ()

    closed = await refusal_of(sent(WebClient(("127.0.0.1:1",)), "http://127.0.0.1:1/", method="POST"))
    nameless = await refusal_of(sent(WebClient(resolve=unknown), "http://x.test/", method="POST"))
    nowhere = await refusal_of(sent(WebClient(resolve=empty), "http://x.test/", method="POST"))

    assert [(type(one), one.code) for one in (closed, nameless, nowhere)] == [(ProviderError, "web.unsent")] * 3


async def test_the_next_address_of_a_host_is_tried_if_the_first_does_not_listen():
    names = Names(two_test=["::1,127.0.0.1"])
    async with web_server({"/": reply(b"here")}) as server:
        got = await sent(client(server, "two.test", resolve=names), server.url("/", "two.test"))

    assert got.body == "here"


async def test_a_request_that_was_interrupted_is_never_taken_for_done_or_not_done():
    backend = build(BackendContext({"allow_hosts": ()}, "/home/ana", "/own", (), FakeClock(), NumberedIds()))
    plan = await planned(backend, "https://x.org/")

    assert isinstance(await backend.settle(the_step(plan), ()), CannotTell)


@pytest.mark.req("T-90")
@pytest.mark.parametrize("url", ["http://127.0.0.1:8737/", "http://localhost/", "http://a.LOCALHOST./",
                                 "http://[::1]/", "http://169.254.169.254/", "http://[::ffff:7f00:1]/",
                                 "http://192.168.0.1/"])  # fmt: skip
async def test_a_host_that_shows_by_its_name_that_it_is_private_is_refused_at_planning(url: str):
    backend = WebBackend(WebClient(), NumberedIds())

    with pytest.raises(Refused, match=r"web\.allow_hosts") as refused:
        await planned(backend, url)

    assert refused.value.code == "web.private"


async def test_the_report_says_what_was_answered():
    backend = WebBackend(WebClient(), NumberedIds())
    plan = await planned(backend, "https://x.org/")
    left = Applied((Fetched("1", 404, note="a picture of 3 MB, not shown"),))

    assert backend.tells(the_step(plan), left) == "the reply has the status 404; a picture of 3 MB, not shown"


async def test_a_name_with_letters_of_other_scripts_is_shown_in_ascii():
    plan = await planned(WebBackend(WebClient(), NumberedIds()), "https://\u0430pple.com/x")

    assert plan.summary == "Send a GET request to xn--pple-43d.com"
    assert plan.sends == ("GET https://xn--pple-43d.com/x",)
    assert plan.warns == (
        "the site's name has letters that may look like others: “\u0430pple.com” is xn--pple-43d.com",
    )


async def test_a_listed_host_leads_to_no_other_listed_host_that_the_card_did_not_name():
    async with web_server({"/": reply(b"inside")}) as inside, web_server({"/": moved(inside.url())}) as outer:
        both = WebClient((f"127.0.0.1:{outer.port}", f"127.0.0.1:{inside.port}"))
        got = await sent(both, outer.url())

    assert got.status == 302
    assert "another site leads to 127.0.0.1" in str(got.note)
    assert not inside.requests

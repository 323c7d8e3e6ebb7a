"""The page's server answers the person's own browser, bound to what it showed, and nobody else."""

import asyncio
import errno
import json
import os
import socket
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp_types import ElicitResult
from starlette.requests import Request
from starlette.responses import Response
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

import sayso
from sayso.assembly import Home
from sayso.core.errors import ProposalError, SetupError, Stale
from sayso.core.record import State
from sayso.providers.browser.address import served_ports
from sayso.runtime.questions import Client
from sayso.surfaces.local_server import listening
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.forms import NO, YES, Asked, decide
from sayso.surfaces.web.application import serve
from sayso.surfaces.web.opening import open_in_browser
from sayso.surfaces.web.requests import answering
from tests.another_user import as_nobody
from tests.desktop_env.session import wait_for
from tests.patience import patience
from tests.web_env.page import serving

PRIVATE = (
    "/api/state",
    "/api/rows",
    "/api/rows/do_0",
    "/api/waiting",
    "/api/undo",
    "/api/form",
    "/api/always",
    "/api/rewind",
    "/api/verify",
    "/api/export",
)
WRITES = ("/api/session", "/api/leave", "/api/decide", "/api/undo", "/api/edit", "/api/rewind")


class Served(NamedTuple):
    """A server, its home, and a browser that was let in."""

    home: Home
    url: str
    token: str
    folder: Path
    web: httpx2.AsyncClient

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://").rstrip("/")

    @property
    def origin(self) -> Origin:
        return Origin(f"http://{self.host}")

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.web.cookies.items())

    async def raw(self, text: str) -> str:
        """Return the first line of the answer to these bytes."""
        async with await anyio.connect_tcp("127.0.0.1", int(self.host.rpartition(":")[2])) as to:
            await to.send(text.encode())
            return (await to.receive()).decode("latin-1").partition("\r\n")[0]


@pytest.fixture(scope="module")
async def page(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    folder = tmp_path_factory.mktemp("page")
    (folder / "own").mkdir()
    (folder / "own" / "config.toml").write_text("[mcp]\nforms = true\n")
    (folder / "Documents").mkdir()

    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Served(home, url, token, folder, web)


async def waits(page: Served, *names: str) -> dict[str, Any]:
    """Let the deletion of these new files wait, and return its card."""
    for name in names:
        (page.folder / "Documents" / name).write_text("kept")
    report = await page.home.run("\n".join(f"DELETE_FILE ~/Documents/{name}" for name in names))
    return await card_of(page, report.run)


async def card_of(page: Served, run: str) -> dict[str, Any]:
    cards = (await page.web.get("/api/waiting")).json()["waiting"]
    return next(card for card in cards if card["run"] == run)


def answer(card: Mapping[str, Any], said: str = "yes", **more: object) -> dict[str, object]:
    return {**{name: card[name] for name in ("run", "digest", "nonce")}, "answer": said, **more}


def exists(page: Served, name: str) -> bool:
    return (page.folder / "Documents" / name).exists()


@pytest.mark.req("WE-01")
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.test"},
        {"Host": "localhost.evil.test"},
        {"Host": "127.0.0.1"},
        {"Host": "{host}.evil"},
        {"Host": ""},
        {"Host": "a/b?x#"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "https://{host}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://{host}.evil.test"},
        {"Host": "evil.test", "Origin": "http://evil.test"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_no_route_answers_a_foreign_name_or_a_page_of_another_site(page: Served, headers: Mapping[str, str]):
    sent = {name: value.format(host=page.host) for name, value in headers.items()}

    gets = [await page.web.get(path, headers=sent) for path in ("/", *PRIVATE)]
    posts = [await page.web.post(path, json={}, headers=sent) for path in WRITES]

    assert {one.status_code for one in (*gets, *posts)} <= {400, 403, 421}


@pytest.mark.req("WE-01", "WE-07")
async def test_two_host_headers_or_another_servers_address_reach_nothing(page: Served):
    twice = await page.raw(f"GET / HTTP/1.1\r\nHost: {page.host}\r\nHost: evil.test\r\n\r\n")
    absolute = await page.raw("GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")
    climbing = await page.raw(f"GET /static/..%2f..%2fapplication.py HTTP/1.1\r\nHost: {page.host}\r\n\r\n")

    assert [line.split()[1][0] for line in (twice, absolute, climbing)] == ["4", "4", "4"]


@pytest.mark.req("SE-02", "WE-04")
async def test_without_the_cookie_nothing_but_the_page_itself_is_answered(page: Served):
    async with httpx2.AsyncClient(base_url=page.url, trust_env=False, timeout=patience()) as stranger:
        wrong = {"Cookie": page.cookie[:-1] + "_"}
        gets = [await stranger.get(path, headers=given) for path in PRIVATE for given in ({}, wrong)]
        posts = [await stranger.post(path, json={}) for path in WRITES if path != "/api/session"]
        query = await stranger.get(f"/api/state?token={page.token}")

        assert {one.status_code for one in (*gets, *posts, query)} == {401}
        assert (await stranger.get("/")).status_code == 200


@pytest.mark.req("WE-04")
async def test_a_token_lets_one_browser_in_and_no_second_one(page: Served):
    async with httpx2.AsyncClient(base_url=page.url, trust_env=False, timeout=patience()) as second:
        again = await second.post("/api/session", json={"token": page.token})
        empty = await second.post("/api/session", json={"token": ""})

        assert [again.json()["code"], empty.json()["code"]] == ["page.token", "page.token"]
        assert not second.cookies


@pytest.mark.req("WE-03", "WE-09")
async def test_what_a_form_of_another_site_can_send_changes_nothing(page: Served):
    card = await waits(page, "form.txt")
    body = json.dumps(answer(card))

    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
    posts = [await page.web.post("/api/decide", content=body, headers={"Content-Type": kind}) for kind in kinds]
    gets = [await page.web.request(method, "/api/decide", params={"body": body}) for method in ("GET", "HEAD")]
    over = await page.web.get("/api/decide", params={"_method": "POST", "body": body})
    foreign = await page.web.post("/api/decide", json=answer(card), headers={"Origin": "https://evil.test"})
    roles = await page.web.post("/api/decide", json=answer(card, role="admin"))

    assert {one.status_code for one in posts} == {415}
    assert {one.status_code for one in (*gets, over)} == {405}
    assert foreign.status_code == 403
    assert roles.status_code == 400
    assert exists(page, "form.txt")


@pytest.mark.req("WE-07")
async def test_every_answer_forbids_frames_foreign_scripts_and_being_kept(page: Served):
    answers = [await page.web.get(path) for path in ("/", "/api/state", "/nowhere")]

    for one in answers:
        assert "default-src 'none'" in one.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in one.headers["content-security-policy"]
        assert "require-trusted-types-for 'script'" in one.headers["content-security-policy"]
        assert "unsafe-inline" not in one.headers["content-security-policy"]
        assert one.headers["cross-origin-opener-policy"] == "same-origin"
        assert one.headers["cross-origin-resource-policy"] == "same-origin"
        assert (one.headers["x-content-type-options"], one.headers["cache-control"]) == ("nosniff", "no-store")
        assert "server" not in one.headers


async def test_a_yes_does_what_was_shown_and_the_journal_says_click(page: Served):
    card = await waits(page, "yes.txt")

    done = await page.web.post("/api/decide", json=answer(card))

    (result,) = done.json()["results"]
    assert (result["state"], result["approved_by"]) == ("done", "click")
    assert not exists(page, "yes.txt")

    row = (await page.web.get(f"/api/rows/{result['id']}")).json()
    back = await page.web.post("/api/undo", json={"id": result["id"]})

    assert row["card"]["can_undo_now"] is True
    assert back.json()["results"][0]["success"] is True
    assert exists(page, "yes.txt")


async def test_a_no_keeps_its_reason_and_what_is_left_out_is_not_done(page: Served):
    card = await waits(page, "no.txt")
    several = await waits(page, "one.txt", "two.txt")

    no = await page.web.post("/api/decide", json=answer(card, "no", reason="it belongs in Archive"))
    some = await page.web.post("/api/decide", json=answer(several, leave_out=[several["ids"][0]]))

    assert "it belongs in Archive" in no.json()["results"][0]["error"]
    assert exists(page, "no.txt")
    assert [one["state"] for one in some.json()["results"]] == ["declined", "done"]
    assert (exists(page, "one.txt"), exists(page, "two.txt")) == (True, False)


@pytest.mark.req("AV-09")
async def test_a_yes_to_another_digest_or_with_another_word_counts_for_nothing(page: Served):
    card, other = await waits(page, "digest.txt"), await waits(page, "other.txt")

    changed = await page.web.post("/api/decide", json=answer({**card, "digest": other["digest"]}))
    foreign = await page.web.post("/api/decide", json=answer({**card, "nonce": other["nonce"]}))
    none = await page.web.post("/api/decide", json=answer(card, leave_out=card["ids"]))

    assert [one.json()["code"] for one in (changed, foreign, none)] == ["page.changed", "page.nonce", "page.request"]
    assert exists(page, "digest.txt")


async def test_of_many_answers_at_once_one_counts_and_the_others_are_told(page: Served):
    card = await waits(page, "race.txt")
    told: list[httpx2.Response] = []

    async def send(said: str) -> None:
        told.append(await page.web.post("/api/decide", json=answer(card, said)))

    async with anyio.create_task_group() as together:
        for said in ("yes", "no") * 32:
            together.start_soon(send, said)

    assert sorted(one.status_code for one in told) == [200] + [409] * 63
    assert {one.json()["code"] for one in told if one.status_code == 409} <= {"page.nonce", "page.answered"}
    later = await page.web.post("/api/decide", json=answer(card))
    assert later.json()["code"] == "page.answered"


@pytest.mark.req("TO-04")
async def test_of_answers_on_the_page_in_a_terminal_and_by_an_agents_form_one_counts(page: Served):
    calls = Calls(page.home, 0)
    (page.folder / "Documents" / "here.txt").write_text("kept")
    asked = await calls.call("file_move", {"source": "~/Documents/here.txt", "destination": "~/Documents/there.txt"})
    assert asked is not None
    id_ = str(asked.told["id"])
    (record,) = await page.home.log_of(id_)
    card = await card_of(page, record.run)
    counted: list[bool] = []
    losers: list[object] = []

    async def by_page(said: str) -> None:
        told = await page.web.post("/api/decide", json=answer(card, said))
        if told.status_code == 200:
            counted.append(said == "yes")
        else:
            losers.append(told.json()["code"])

    async def by_command(said: str) -> None:
        decided = (
            page.home.approve(id_, Client(lambda _: True, by="terminal"))
            if said == "yes"
            else page.home.decline(id_, "terminal")
        )
        try:
            (outcome,) = (await decided).outcomes
        except (ProposalError, Stale) as lost:
            losers.append(lost.code)
        else:
            won = outcome.record.marks.approved_by == "terminal" and not outcome.elsewhere
            (counted if won else losers).append(said == "yes")

    async def by_form(said: str) -> None:
        result = ElicitResult(action="accept", content={"answer": YES if said == "yes" else NO})
        await decide(calls, Asked(id_, record.digest or ""), result)
        losers.append("form")

    async with anyio.create_task_group() as together:
        for by in (by_page, by_command, by_form) * 11:
            for said in ("yes", "no"):
                together.start_soon(by, said)

    (ended,) = await page.home.log_of(id_)
    moved = exists(page, "there.txt")
    assert (ended.state, exists(page, "here.txt")) == ((State.DONE, False) if moved else (State.DECLINED, True))
    by_agent = ended.marks.approved_by == "form"
    assert counted == ([] if by_agent else [moved])
    assert len(losers) == 66 - len(counted)
    assert (await calls.outcome(id_)) is not None


async def test_who_answers_after_the_terminal_is_told_so(page: Served):
    card = await waits(page, "terminal.txt")
    await page.home.decline(card["run"], "command")

    late = await page.web.post("/api/decide", json=answer(card))

    assert (late.status_code, late.json()["code"]) == (409, "page.answered")
    assert exists(page, "terminal.txt")


async def test_the_history_is_read_in_pages_and_by_state(page: Served):
    await waits(page, "page-1.txt")
    await waits(page, "page-2.txt")

    first = (await page.web.get("/api/rows", params={"limit": 1, "state": "waiting"})).json()
    second = (
        await page.web.get("/api/rows", params={"limit": 1, "state": "waiting", "before": first["before"]})
    ).json()
    queries = ("limit=9999", "state=x", "before=do_", "limit=-1", "since=x", "since=2025-13-01", "since=%00")
    wrong = [await page.web.get(f"/api/rows?{query}") for query in queries]

    assert first["rows"][0]["id"] > second["rows"][0]["id"]
    assert {one.status_code for one in wrong} == {400}
    assert all(one.json()["error"] for one in wrong)


async def test_a_list_is_sent_in_parts_of_at_most_500(page: Served):
    told = [
        (await page.web.get(f"/api/{path}?limit={limit}")).status_code
        for path in ("rows", "sessions")
        for limit in ("500", "501", "-1", "x")
    ]

    assert told == [200, 400, 400, 400] * 2


async def test_a_fault_in_sayso_is_answered_in_one_sentence_and_logged(caplog: pytest.LogCaptureFixture):
    async def faulty(_: Request) -> Response:
        raise KeyError("secret")

    answer = await answering(faulty)(Request({"type": "http"}))

    said = json.loads(bytes(answer.body))
    assert (answer.status_code, said["code"]) == (500, "bug")
    assert "secret" not in said["error"]
    assert "KeyError" in caplog.text


async def test_a_body_that_is_too_long_or_malformed_is_refused(page: Served):
    kind = {"Content-Type": "application/json"}

    long = await page.web.post("/api/decide", content=b'"' + b"x" * (1 << 20) + b'"', headers=kind)
    wrong = [
        await page.web.post("/api/decide", content=body, headers=kind)
        for body in (b"", b"{", b"[" * 9999, b'{"run": "\xff"}')
    ]

    assert long.status_code == 413
    assert {one.status_code for one in wrong} == {400}


async def test_a_page_is_told_of_every_change_by_whoever_made_it(page: Served):
    headers = {"Cookie": page.cookie}
    async with connect(f"ws://{page.host}/ws", origin=page.origin, additional_headers=headers) as one:
        templates, hello = [json.loads(await one.recv()) for _ in range(2)]
        await page.home.run("CREATE_FOLDER ~/Documents/told")
        changed = json.loads(await one.recv())
        await one.send(json.dumps({"type": "attach", "since": hello["sequence"]}))
        caught_up = json.loads(await one.recv())

    assert templates == {"type": "action_templates", "templates": []}
    assert (hello["type"], changed["type"], caught_up["type"]) == ("hello", "changed", "changed")
    assert caught_up["sequence"] >= changed["sequence"] > hello["sequence"]


@pytest.mark.req("WE-02")
@pytest.mark.parametrize(
    "origin",
    [
        *(None, "null", "http://evil.test", "https://{host}", "http://{host}.evil.test"),
        *("http://127.0.0.1:1", "http://x{host}", "http://{host}0"),
    ],
)
async def test_a_socket_opens_for_the_pages_own_origin_only(page: Served, origin: str | None):
    given = None if origin is None else Origin(origin.format(host=page.host))

    with pytest.raises(InvalidStatus) as refusal:
        async with connect(f"ws://{page.host}/ws", origin=given, additional_headers={"Cookie": page.cookie}):
            pass

    assert refusal.value.response.status_code == 403


@pytest.mark.req("WE-02")
@pytest.mark.parametrize("cookie", ["", "sayso=x"])
async def test_a_socket_opens_with_the_cookie_only(page: Served, cookie: str):
    with pytest.raises(InvalidStatus) as refusal:
        async with connect(f"ws://{page.host}/ws", origin=page.origin, additional_headers={"Cookie": cookie}):
            pass

    assert refusal.value.response.status_code == 403


@pytest.mark.req("WE-08", "WE-09")
@pytest.mark.parametrize(
    "sent", [b"\xff", "{", '{"type": "decide"}', '{"type": "attach", "role": "admin"}', '{"type": "execute_action"}']
)
async def test_a_message_that_is_none_is_answered_and_the_socket_stays_open(page: Served, sent: bytes | str):
    async with connect(f"ws://{page.host}/ws", origin=page.origin, additional_headers={"Cookie": page.cookie}) as open_:
        _ = [await open_.recv() for _ in range(2)]
        await open_.send(sent)
        told = json.loads(await open_.recv())
        await open_.send('{"type": "attach", "since": -1}')
        after = json.loads(await open_.recv())

    assert (told["type"], after["type"]) == ("error", "changed")
    assert told["message"].startswith("this is no message")


@pytest.mark.req("WE-08")
async def test_a_socket_takes_no_compressed_frame_which_could_grow_without_end(page: Served):
    headers = {"Cookie": page.cookie}
    async with connect(f"ws://{page.host}/ws", origin=page.origin, additional_headers=headers) as asked:
        told = asked.response and asked.response.headers.get("Sec-WebSocket-Extensions")

    assert asked.request is not None
    assert "permessage-deflate" in asked.request.headers["Sec-WebSocket-Extensions"]
    assert told is None


@pytest.mark.req("WE-08")
async def test_a_frame_that_is_too_long_closes_its_socket_and_others_live(page: Served):
    headers, own = {"Cookie": page.cookie}, page.origin
    async with (
        connect(f"ws://{page.host}/ws", origin=own, additional_headers=headers) as good,
        connect(f"ws://{page.host}/ws", origin=own, additional_headers=headers) as bad,
    ):
        _ = [await bad.recv() for _ in range(2)]
        await bad.send("x" * 70_000)
        with pytest.raises(ConnectionClosed) as closed:
            await bad.recv()
        await good.send('{"type": "attach", "since": -1}')
        alive = [json.loads(await good.recv())["type"] for _ in range(3)]

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
    assert alive == ["action_templates", "hello", "changed"]


@pytest.mark.req("WE-08")
async def test_a_flood_of_messages_closes_the_socket(page: Served):
    async with connect(f"ws://{page.host}/ws", origin=page.origin, additional_headers={"Cookie": page.cookie}) as flood:
        with suppress(ConnectionClosed):
            for _ in range(1_000):
                await flood.send('{"type": "attach", "since": -1}')
                await flood.recv()

    assert flood.close_code == 1008


@pytest.mark.req("WE-04")
async def test_a_browser_that_leaves_is_out_and_what_waits_outlives_the_server(tmp_path: Path):
    own = tmp_path / "own"
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    codes: list[int] = []
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as home:
        waiting = await home.run("DELETE_FILE ~/Documents/a.txt")

        async with serving(home) as (url, token), httpx2.AsyncClient(base_url=url, trust_env=False) as web:
            served = served_ports(str(own))  # which keeps sayso's own browser away from them
            codes.append((await web.post("/api/session", json={"token": token})).status_code)
            cookie = "; ".join(f"{name}={value}" for name, value in web.cookies.items())
            socket = f"ws://{url.removeprefix('http://')}ws"
            async with connect(socket, origin=Origin(url[:-1]), additional_headers={"Cookie": cookie}) as still:
                _ = [await still.recv() for _ in range(2)]
                codes.append((await web.post("/api/leave", json={})).status_code)
                with pytest.raises(ConnectionClosed):
                    await still.recv()
            codes.append((await web.get("/api/state")).status_code)
        stays = await home.pending()

    assert codes == [204, 204, 401]
    assert [one.run for one in stays] == [waiting.run]
    assert [f"http://127.0.0.1:{port}/" for port in served] == [url]
    assert served_ports(str(own)) == frozenset()


async def test_the_page_is_opened_with_what_the_desktop_opens_addresses_with_or_it_is_said_why_not(tmp_path: Path):
    opener = tmp_path / "xdg-open"
    opener.write_text('#!/bin/sh\necho "$1" > "$HOME/opened.part"; mv "$HOME/opened.part" "$HOME/opened"\n')
    address = "http://127.0.0.1:1/#token=x"

    async with sayso.open_home(str(tmp_path / "a"), environ={"HOME": str(tmp_path), "PATH": "/nowhere"}) as home:
        without = await open_in_browser(home, address)
    opener.chmod(0o700)
    environ = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:/usr/bin:/bin"}
    async with sayso.open_home(str(tmp_path / "b"), environ=environ) as home:
        told = await open_in_browser(home, address, "linux")
        wait_for((tmp_path / "opened").exists, "the opened page")

    assert "install xdg-open" in without
    assert (told, (tmp_path / "opened").read_text()) == ("", f"{address}\n")


@pytest.mark.req("WE-05")
async def test_the_page_is_bound_to_this_computer_alone_and_never_told_at_a_port_that_somebody_else_has(tmp_path: Path):
    told: list[str] = []

    with socket.socket() as foreign:
        foreign.bind(("127.0.0.1", 0))
        foreign.listen()
        taken = foreign.getsockname()[1]
        async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
            with pytest.raises(SetupError, match="cannot be served"):
                await serve(home, taken, lambda url, _: told.append(url))
            async with serving(home) as (url, _):
                port = int(url.rstrip("/").rpartition(":")[2])
                with socket.socket() as other:
                    refused = other.connect_ex(("127.0.0.2", port))

    assert told == []
    assert (url, port != taken, refused) == (f"http://127.0.0.1:{port}/", True, errno.ECONNREFUSED)


@pytest.mark.req("WE-06")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
async def test_another_user_of_this_computer_reads_nothing_of_the_home_and_gets_nothing_from_the_page():
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o711)
        own = Path(made, "own")
        async with sayso.open_home(str(own), environ={"HOME": made}) as home, serving(home) as (url, _):
            await home.run("TASK_ADD private", approver=Client(lambda _: True))
            files, port = [own, *own.rglob("*")], int(url.rstrip("/").rpartition(":")[2])

            def learns_nothing() -> bool:
                request = f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
                with socket.create_connection(("127.0.0.1", port), patience()) as to:
                    to.sendall(request.encode())
                    refused = b" 403 " in to.recv(100)
                return refused and not any(os.access(file, os.R_OK) for file in files)

            nothing = await anyio.to_thread.run_sync(as_nobody, learns_nothing)
            modes = {file.stat().st_mode & 0o777 for file in files}

    assert nothing
    assert modes <= {0o700, 0o600}
    assert len(files) > 3


@pytest.mark.req("WE-06", "WE-04")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
async def test_another_user_who_has_the_token_and_the_cookie_gets_in_with_neither(tmp_path: Path):
    async with (
        sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        host, body = url.removeprefix("http://").rstrip("/"), json.dumps({"token": token})
        port = int(host.rpartition(":")[2])
        head = f" HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n"

        def is_let_in(request: str) -> bool:
            answers: list[bytes] = []
            for family, where in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
                with socket.socket(family) as to:
                    to.settimeout(patience())
                    to.connect((where, port))
                    to.sendall(request.encode())
                    answers.append(to.recv(12))
            return any(answer != b"HTTP/1.1 403" for answer in answers)

        async def another(request: str) -> bool:
            return await anyio.to_thread.run_sync(as_nobody, lambda: is_let_in(request))

        by_token = await another(f"POST /api/session{head}Content-Length: {len(body)}\r\n\r\n{body}")
        own = await web.post("/api/session", json={"token": token})
        cookie = f"Cookie: sayso_{port}={own.cookies[f'sayso_{port}']}\r\nOrigin: http://{host}\r\n"
        by_cookie = [await another(f"GET {path}{head}{cookie}\r\n") for path in ("/api/waiting", "/ws")]

    assert (by_token, own.status_code, by_cookie) == (False, 204, [False, False])


async def test_small_pieces_are_sent_at_once():
    """A system that waits for more to send makes each answer 40 ms late."""
    delays: list[int] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delays.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with listening(0) as on:
        async with await asyncio.start_server(note, sock=on), await anyio.connect_tcp(*on.getsockname()) as to:
            with suppress(anyio.EndOfStream):
                await to.receive()

    assert delays == [1]

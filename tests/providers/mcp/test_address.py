"""A server at an address is asked by one request each, answered by JSON or by events, and trusted no further."""

import json
import threading
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

import sayso
from sayso.core.errors import SetupError
from sayso.core.record import State
from sayso.providers.mcp.definitions import Pinned, keep, read_tools
from sayso.providers.mcp.servers import WrappedServer, read_servers
from sayso.runtime.results import Outcome
from tests.mcp_env import server as small
from tests.mcp_env.wrapped import YES, call, result_of, states
from tests.memory import memory_settings


class _Handler(BaseHTTPRequestHandler):
    form = "json"
    seen: list[tuple[str, Mapping[str, str]]]

    def do_POST(self) -> None:
        message: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((message["method"], {name.lower(): value for name, value in self.headers.items()}))
        if "id" not in message:
            self.send_response(202)
            self.end_headers()
            with suppress(OSError):
                while self.form == "endless":
                    self.wfile.write(b"x" * 65536)
            return
        if self.form in {"moved", "shut"} and message["method"] == "tools/call":
            self.send_response(307 if self.form == "moved" else 500)
            self.send_header("Location", "http://127.0.0.1:9/")
            self.end_headers()
            return
        old = self.form == "new" and message["method"] == "initialize"
        error = {"error": {"code": -32022, "message": "unsupported"}}
        answer = {"jsonrpc": "2.0", "id": message["id"], **(error if old else small.answered(message))}
        self.send_response(400 if old else 200)
        self.send_header("Mcp-Session-Id", "s1")
        self.send_header("Content-Type", "text/event-stream" if self.form == "events" else "application/json")
        if self.form == "packed" and message["method"] == "tools/call":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        data = json.dumps(answer)
        beside = 'data: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n'
        self.wfile.write(
            f": hello\n{beside}event: message\ndata: {data}\n\n".encode() if self.form == "events" else data.encode()
        )

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@contextmanager
def serving(folder: Path, form: str) -> Generator[tuple[str, list[tuple[str, Mapping[str, str]]]]]:
    """Serve the small server over HTTP, and yield its address and the requests that came."""
    seen: list[tuple[str, Mapping[str, str]]] = []
    handler = type("Handler", (_Handler,), {"form": form, "seen": seen})
    before, small.FOLDER = small.FOLDER, folder
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp", seen
        finally:
            server.shutdown()
            thread.join()
            small.FOLDER = before


async def called(tmp_path: Path, url: str, tool: str, **arguments: str) -> Outcome:
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    (own / "config.toml").write_text(f'{memory_settings("mcp")}[mcp.servers.small]\nurl = "{url}"\nlocal = true\n')
    table = tomllib.loads((own / "config.toml").read_text())["mcp"]["servers"]
    server = cast("Mapping[str, WrappedServer]", read_servers(table))["small"]
    keep(str(own), "small", Pinned(server.identity, *read_tools(small.tools())))
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as home:
        return await call(home, tool, YES, **arguments)


@pytest.mark.parametrize("form", ["json", "events", "new", "endless"])
async def test_a_tool_is_called_at_an_address(tmp_path: Path, form: str):
    with serving(tmp_path, form) as (url, seen):
        done = await called(tmp_path, url, "add", item="tea")

    assert states(done) == [State.DONE], done.record.marks
    assert result_of(done)["content"][0]["text"] == "added tea"
    method, headers = seen[-1]
    assert (method, headers["mcp-method"], headers["mcp-name"], headers["mcp-session-id"]) == (
        "tools/call", "tools/call", "add", "s1",
    )  # fmt: skip
    assert headers["mcp-protocol-version"] == ("2026-07-28" if form == "new" else "2025-11-25")


@pytest.mark.parametrize(("form", "header"), [("new", "=?base64?ZmzDqSA=?="), ("json", None)])
async def test_an_argument_that_the_server_marks_is_repeated_as_a_header(tmp_path: Path, form: str, header: str | None):
    (tmp_path / "marks").touch()
    with serving(tmp_path, form) as (url, seen):
        done = await called(tmp_path, url, "add", item="flé ")
        odd = await called(tmp_path, url, "remove", item="flé ")

    headers = next(headers for method, headers in seen if method == "tools/call")
    assert (states(done), headers.get("mcp-param-item")) == ([State.DONE], header)
    assert states(odd) == [State.REFUSED if form == "new" else State.DONE]


@pytest.mark.parametrize(
    ("form", "state"), [("moved", State.FAILED), ("shut", State.UNKNOWN), ("packed", State.UNKNOWN)]
)
async def test_a_redirect_is_not_followed_and_a_fault_leaves_doubt(tmp_path: Path, form: str, state: State):
    with serving(tmp_path, form) as (url, seen):
        done = await called(tmp_path, url, "add", item="tea")

    assert states(done) == [state]
    assert [method for method, _ in seen].count("tools/call") == 1


async def test_where_nobody_listens_nothing_was_called(tmp_path: Path):
    done = await called(tmp_path, "http://127.0.0.1:9/mcp", "add", item="tea")

    assert states(done) == [State.FAILED]
    assert "cannot be reached" in (done.record.marks.error or "")


@pytest.mark.parametrize("url", ["http://example.org/mcp", "http://localhost@example.org/", "ftp://x", "/mcp"])
def test_only_what_is_encrypted_or_on_this_computer_is_an_address(url: str):
    with pytest.raises(SetupError, match="“url” of the MCP server “x” must be"):
        read_servers({"x": {"url": url}})

"""FastMCP's client calls every tool over both connections, and none of fifty calls at once is lost.

`tests/harness/mcp-clients-run` makes the environment that it runs in.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_env.wrapped import accept, settings_of
from tests.memory import memory_settings

CLIENT = Path(__file__).with_name("fastmcp_client.py")
SAYSO = [sys.executable, "-m", "sayso", "mcp"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").write_text(memory_settings("files"))
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("kept")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, "HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")}


def driven(environ: dict[str, str], *words: str) -> dict[str, Any]:
    command = [str(Path(os.environ["FASTMCP"]).absolute()), str(CLIENT), *words]
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True, timeout=200)
    return json.loads(done.stdout.splitlines()[-1])


def test_it_drives_a_process_over_its_standard_streams(environ: dict[str, str]):
    found = driven(environ, "-", *SAYSO, "--wait", "0")

    assert found["states"].pop("sayso_outcome") == "error"
    assert "error" not in found["states"].values()
    assert {"file_read", "mail_send", "page_text"} <= found["states"].keys()
    assert found["made"] == ["done"] * 50


def test_it_drives_a_server_over_http(environ: dict[str, str]):
    token = subprocess.run([*SAYSO, "--token"], env=environ, check=True, capture_output=True, text=True).stdout.strip()
    words = [*SAYSO, "--http", "--port", "0", "--wait", "0"]
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = driven(environ, server.stdout.readline().split()[-1], token)
        finally:
            server.terminate()

    assert found["states"].pop("sayso_outcome") == "error"
    assert "error" not in found["states"].values()
    assert found["made"] == ["done"] * 50


def test_of_fifty_calls_of_a_wrapped_servers_tool_each_gets_its_answer(environ: dict[str, str], tmp_path: Path):
    served = tmp_path / "served"
    served.mkdir()
    (tmp_path / "own" / "config.toml").write_text(f'[policy]\nmode = "never"\n{settings_of(served, "local = true")}')
    accept(tmp_path / "own", served)

    found = driven(environ, "-", *SAYSO, "--wait", "0", "--", "small_add")

    assert found["answers"] == [f"added item {number}" for number in range(50)]
    assert len((served / "list").read_text().splitlines()) == 50
    assert len(list(served.glob("started-*"))) == 1

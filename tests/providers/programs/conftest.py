"""Time that passes at a word, for limits to be reached only once something is there, and whether a process runs."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.desktop_env.session import wait_for


def passes(seconds: float) -> None:
    """Let the loop believe that this time has passed."""
    loop = asyncio.get_running_loop()
    time = loop.time
    loop.time = lambda: time() + seconds


@asynccontextmanager
async def too_late_once(there: Callable[[], object]) -> AsyncGenerator[None]:
    """Let an hour pass as soon as something is there."""

    async def late() -> None:
        await anyio.to_thread.run_sync(wait_for, there)
        passes(3600)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(late)
        yield


def alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def odd_program(tmp_path: Path) -> str:
    """Return the path of a program that cannot be started."""
    odd = tmp_path / "odd"
    odd.write_text("#!/nowhere/interpreter\n")
    odd.chmod(0o755)
    return str(odd)

"""Whatever fits the page's OpenAPI document, and what just does not, gets an answer and never a server error."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

import sayso
from sayso.core.lazy import load
from sayso.surfaces.web import guard
from tests.web_env.page import serving
from tests.web_env.states import DONE
from tools.reference import FOLDER

pytestmark = pytest.mark.thorough
EACH = 15
ENTERS, LEAVES = "/api/session", "/api/leave"
WITHOUT = {401, 403, 404}
UNMINDED = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
DRAWN = settings(max_examples=EACH, deadline=None, suppress_health_check=UNMINDED, database=None)


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[str, str]]:
    """Serve the page of a home that is in use, to more requests than a page may make; give address and cookie."""
    folder = tmp_path_factory.mktemp("schema")
    for name in ("own", "Documents"):
        (folder / name).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "_AT_ONCE", 1e9)
        async with sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home:
            for line in (*DONE, 'DELETE_FILE "~/Documents/Trip/list.md"', 'TASK_ADD "Buy oats"'):
                await home.run(line)
            async with serving(home) as (url, token), httpx2.AsyncClient() as client:
                entered = await client.post(f"{url}api/session", json={"token": token})
                yield url.rstrip("/"), entered.headers["set-cookie"].partition(";")[0]


def operations() -> list[Any]:
    """Return all operations of the document, with what makes requests of them."""
    schema = load("schemathesis.openapi:from_path")(str(FOLDER / "page.openapi.json"))
    return [found.ok() for found in schema.get_all_operations()]


async def sent(operation: Any, mode: Any, url: str, cookie: str = "") -> Counter[int]:
    """Send requests of an operation that fit the document, or do not, and count the answers by their status."""
    headers = {"Cookie": cookie} if cookie else {}
    statuses: Counter[int] = Counter()

    @DRAWN
    @given(operation.as_strategy(mode))
    def drawn(case: Any) -> None:
        status = case.call(base_url=url, headers=headers).status_code
        statuses[status] += 1
        assert status < 500, case.as_curl_command()

    with suppress(Unsatisfiable):  # nothing can be wrong with a request that has no parts
        await anyio.to_thread.run_sync(drawn)
    return statuses


async def test_no_request_leads_to_a_server_error(served: tuple[str, str]):
    url, cookie = served
    answered: dict[str, Counter[int]] = {}

    for operation in operations():
        if operation.path != LEAVES:
            for mode in load("schemathesis:GenerationMode"):
                answered[f"{operation.label} {mode.value}"] = await sent(operation, mode, url, cookie)

    assert {status for told in answered.values() for status in told} >= {200, 400, 404}
    assert sum(answered.values(), Counter[int]())[401] <= 2 * EACH  # those of wrong tokens
    assert sum(map(len, answered.values())) > len(answered)


@pytest.mark.req("WE-10")
async def test_without_credentials_every_route_says_no_and_nothing_else(served: tuple[str, str]):
    url, _ = served
    answered: dict[str, set[int]] = {}

    for operation in operations():
        if operation.path != ENTERS:
            mode = load("schemathesis:GenerationMode").POSITIVE
            answered[operation.label] = {*await sent(operation, mode, url)}

    assert len(answered) > 20
    assert {label: told for label, told in answered.items() if not told <= WITHOUT} == {}

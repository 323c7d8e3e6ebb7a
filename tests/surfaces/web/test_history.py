"""The history of the page is searched, filtered and exported, and all since a moment is taken back at once."""

from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.why import explain
from sayso.core.ports import RecordQuery
from sayso.journal.search import Wanted, search
from sayso.runtime.rewind import look_back, rewind
from tests.journal.exported import check_lines
from tests.patience import patience
from tests.web_env.page import serving
from tests.web_env.world import WORLD


class Past:
    """A browser that was let in, and the home whose history it shows."""

    def __init__(self, home: Home, web: httpx2.AsyncClient, folder: Path) -> None:
        self.home = home
        self.web = web
        self.documents = folder / "Documents"

    async def do(self, text: str, entry: str = "library") -> list[str]:
        """Have commands done, and return the ids of their actions."""
        report = await self.home.run(text, approver=sayso.Client(lambda _: True), entry=entry)
        return [outcome.record.id for outcome in report.outcomes]

    async def get(self, path: str, **query: str) -> dict[str, Any]:
        """Return what the server answers."""
        return (await self.web.get(path, params=query)).json()

    async def found(self, **query: str) -> list[str]:
        """Return the ids of all that fit, however many answers it takes."""
        answer = await self.get("/api/rows", **query)
        ids = [row["id"] for row in answer["rows"]]
        while answer["before"] is not None:
            answer = await self.get("/api/rows", **query, before=answer["before"])
            ids += [row["id"] for row in answer["rows"]]
        return ids

    async def right_after(self, text: str) -> str:
        """Have something done, and return the first moment that the journal can tell from when that ended."""
        (id_,) = await self.do(text)
        (record,) = await self.home.log_of(id_)
        return (datetime.fromisoformat(str(record.marks.ended_at)) + timedelta(milliseconds=1)).isoformat()

    def now(self) -> str:
        """Return the time."""
        return self.home.clock.now().isoformat()


@pytest.fixture(scope="module")
async def past(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Past]:
    folder = tmp_path_factory.mktemp("past")
    (folder / "own").mkdir()
    (folder / "own" / "config.toml").write_text(WORLD)
    (folder / "Documents").mkdir()
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Past(home, web, folder)


async def test_what_dry_runs_would_have_done_is_left_out_on_request_and_counted(past: Past):
    (done,) = await past.do("CREATE_FOLDER ~/Documents/dry")
    (dry,) = [one.record.id for one in (await past.home.run("CREATE_FOLDER ~/Documents/dry2", dry_run=True)).outcomes]

    usual, hides = await past.get("/api/rows"), await past.get("/api/rows", dry="hide")
    found = await past.get("/api/rows", dry="hide", words="dry2")
    chosen = await past.get("/api/rows", dry="hide", state="planned")

    assert {done, dry} <= {row["id"] for row in usual["rows"]}
    ids = [row["id"] for row in hides["rows"]]
    assert (done in ids, dry in ids, hides["dry_hidden"], usual["dry_hidden"]) == (True, False, 1, 0)
    assert (found["rows"], [row["id"] for row in chosen["rows"]], chosen["dry_hidden"]) == ([], [dry], 0)


async def test_actions_are_found_by_words_surface_answer_and_day(past: Past):
    (grown,) = await past.do('WRITE_FILE ~/Documents/größe.txt "about \\"Quotes\\" and\\nlines"', "mcp")
    (other,) = await past.do("CREATE_FOLDER ~/Documents/plain")
    after = past.now()

    assert await past.found(words='GRÖSSE.txt "quotes"') == [grown]
    assert await past.found(words="plan") == []
    assert await past.found(words=other) == [other]
    why = (await past.get(f"/api/rows/{other}/why"))["why"]
    assert why == [*await explain(past.home, (await past.home.log_of(other))[0])]
    assert any(line.startswith("Policy ") for line in why)
    assert await past.found(entry="mcp") == [grown]
    assert await past.found(by="terminal") == []
    assert {grown, other} <= {*await past.found(by="client", until=after)}
    assert await past.found(since=after) == []
    assert (await past.web.get("/api/rows", params={"until": "soon"})).json()["code"] == "time.malformed"


async def test_a_search_that_takes_longer_is_told_as_far_as_it_came_and_goes_on_from_there(past: Past):
    ids = await past.do("CREATE_FOLDER ~/Documents/part/one\nCREATE_FOLDER ~/Documents/part/two")
    wanted, found, before = Wanted(words=("part/",)), list[str](), None
    unread = str(past.documents / "no-index-here.db")
    while True:
        query = RecordQuery(limit=50, before=before)
        part = past.home.journal.read(lambda reader, query=query: search(reader, query, wanted, lambda: True, unread))
        found += [record.id for record in part.records]
        before = part.further
        if before is None:
            break

    assert found == ids[::-1]


@pytest.mark.req("S2-50")
async def test_all_since_a_moment_is_taken_back_in_order_and_what_stays_is_named(past: Past):
    (past.documents / "kept.txt").write_text("first")
    moment = await past.right_after('WRITE_FILE ~/Documents/kept.txt "second"')
    await past.do('WRITE_FILE ~/Documents/kept.txt "third"')
    await past.do("CREATE_FOLDER ~/Documents/deep\nMOVE_FILE ~/Documents/kept.txt ~/Documents/deep/kept.txt")
    await past.do('TASK_EDIT "Call Ann" "Call Bob"\nTAB_CLOSE [2]\nCALENDAR_UPDATE_EVENT "e1" "Retro"')
    (sent,) = await past.do('MAIL_SEND "a@example.org" "Hello" "x"')

    shown = await past.get("/api/rewind", to=moment)
    stale = await past.web.post("/api/rewind", json={"to": moment, "digest": "sha256:0"})
    kept = (past.documents / "deep" / "kept.txt").read_text()
    done = await past.web.post("/api/rewind", json={"to": shown["to"], "digest": shown["digest"]})
    again = await past.get("/api/rewind", to=moment)
    tabs = await past.home.run("TAB_LIST")

    assert [one["text"].split()[0] for one in shown["undo"]] == [
        "Change", "Close", "Rename", "Move", "Create", "Replace",
    ]  # fmt: skip
    assert [(one["id"], one["why"]) for one in shown["stays"]] == [(sent, "a sent mail cannot be called back")]
    assert (stale.json()["code"], kept) == ("page.changed", "third")
    assert {one["state"] for one in done.json()["results"]} == {"done"}
    assert (past.documents / "kept.txt").read_text() == "second"
    assert not (past.documents / "deep").exists()
    assert "two.example" in tabs.outcomes[0].text
    assert again["undo"] == []


async def test_a_rewind_says_how_far_it_is_and_one_that_is_too_long_is_said_to_leave_the_oldest(
    past: Past, monkeypatch: pytest.MonkeyPatch
):
    moment = await past.right_after("CREATE_FOLDER ~/Documents/four")
    ids = await past.do("\n".join(f"CREATE_FOLDER ~/Documents/four/{name}" for name in "abc"))
    monkeypatch.setattr("sayso.runtime.rewind.MOST", 2)
    told = list[int]()

    shown = await look_back(past.home.tools, datetime.fromisoformat(moment))
    await rewind(past.home.tools, shown, "click", told.append)
    rest = await look_back(past.home.tools, datetime.fromisoformat(moment))

    assert [back.original.id for back in shown.backs] == ids[:0:-1]
    assert (shown.more, told) == (True, [1, 2])
    assert ([back.original.id for back in rest.backs], rest.more) == (ids[:1], False)


@pytest.mark.thorough
async def test_more_than_five_hundred_actions_are_taken_back_at_once_and_counted(past: Past):
    moment = await past.right_after("CREATE_FOLDER ~/Documents/many")
    await past.do("\n".join(f'TASK_ADD "many {number}"' for number in range(620)))

    shown = await past.get("/api/rewind", to=moment)
    done = (await past.web.post("/api/rewind", json={"to": shown["to"], "digest": shown["digest"]})).json()

    assert (len(shown["undo"]), shown["more"]) == (620, False)
    assert (done["of"], done["done"], done["results"]) == (620, 620, [])
    assert (await past.get("/api/rewind", to=moment))["undo"] == []


async def test_an_undo_of_something_older_is_named_as_what_stays(past: Past):
    moment = await past.right_after("CREATE_FOLDER ~/Documents/early")
    await past.home.undo()

    shown = await past.get("/api/rewind", to=moment)

    assert shown["undo"] == []
    assert ["took something back" in one["why"] for one in shown["stays"]] == [True]


async def test_the_journal_is_verified_and_downloaded_with_its_checkpoint(past: Past):
    await past.do("CREATE_FOLDER ~/Documents/proof")

    proof = await past.get("/api/verify")
    copy = await past.web.get("/api/export")

    assert (proof["ok"], proof["problem"]) == (True, None)
    assert proof["actions"] > 0
    assert "attachment; filename=sayso-log-" in copy.headers["content-disposition"]
    assert check_lines(copy.text.splitlines()).ok


async def test_what_no_plan_could_be_made_for_is_titled_with_what_was_asked_and_not_with_a_bare_name(past: Past):
    ids = await past.do("MOVE_FILE ~/Documents/nowhere.txt ~/Documents/there.txt\nFLY away")

    rows = {row["id"]: row for row in (await past.get("/api/rows"))["rows"]}
    shown = await past.get(f"/api/rows/{ids[0]}")

    moved = "Move or rename a file or folder: “~/Documents/nowhere.txt”, “~/Documents/there.txt”"
    assert [(rows[id_]["state"], rows[id_]["title"]) for id_ in ids] == [("failed", moved), ("invalid", "FLY away")]
    assert shown["row"]["title"] == moved

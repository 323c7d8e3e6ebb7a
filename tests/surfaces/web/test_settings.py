"""The page's server changes settings and triggers as the person means it: what lets sayso do more is asked first."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from anyio import create_task_group
from anyio.lowlevel import checkpoint

import sayso
from sayso.assembly import Home
from sayso.assembly.doctor_document import DoctorDocument, FindingDocument
from sayso.core.decision import Decision
from sayso.core.grant import Wish
from sayso.runtime.questions import Client
from sayso.surfaces.web.standing import Checks
from sayso.testing.fakes import FakeClock
from tests.patience import patience
from tests.web_env.page import serving

SETTINGS = """
[policy]
allowed_operations = ["task.*", "file.*"]

[[trigger]]
name = "tidy"
says = "tidy up"
lines = "ADD_TASK"
"""


class Served(NamedTuple):
    """A home, and a browser that was let in."""

    home: Home
    web: httpx2.AsyncClient

    async def set(self, name: str, value: object, nonce: str = "") -> dict[str, Any]:
        """Change a setting; what is answered, with its status."""
        answer = await self.web.post("/api/settings", json={"name": name, "value": value, "nonce": nonce})
        return {"status": answer.status_code, **answer.json()}


@pytest.fixture
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    folder = tmp_path_factory.mktemp("settings")
    (folder / "own").mkdir()
    (folder / "Documents").mkdir()
    (folder / "own" / "config.toml").write_text(SETTINGS)
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Served(home, web)


async def test_what_lets_sayso_do_more_is_asked_first_and_what_restricts_it_is_not(served: Served):
    asked = await served.set("policy.mode", "never")
    stricter = await served.set("policy.mode", "always")
    stale = await served.set("policy.mode", "never", asked["nonce"])  # it was shown as coming from “destructive”
    again = await served.set("policy.mode", "never", stale["nonce"])
    used = await served.set("policy.mode", "destructive")

    assert [one["status"] for one in (asked, stricter, stale, again, used)] == [409, 200, 409, 200, 200]
    assert (asked["code"], asked["shown"]) == (
        "page.sure",
        {"name": "policy.mode", "before": "destructive", "after": "never"},
    )
    assert served.home.settings.policy.mode == "destructive"


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("policy.allowed_operations", ["task.*"], ["task.*", "mail.send"]),
        ("automation.enabled", False, True),
        ("policy.strict_apps", True, False),
    ],
)
async def test_each_setting_knows_which_way_allows_more(served: Served, name: str, less: object, more: object):
    restricted = await served.set(name, less)
    asked = await served.set(name, more)
    unchanged = served.home.settings.get(name)
    allowed = await served.set(name, more, asked["nonce"])

    assert (restricted["status"], asked["status"], asked["code"], unchanged) == (200, 409, "page.sure", less)
    assert (allowed["status"], served.home.settings.get(name)) == (200, more)


@pytest.mark.parametrize("name", ["policy.waive_floor", "actions.allow_uncontained", "model.password_command"])
async def test_what_is_changed_in_the_terminal_only_is_said_to_be(served: Served, name: str):
    answer = await served.set(name, ["true"])

    assert (answer["status"], answer["code"]) == (400, "page.terminal")
    assert f"sayso config set {name}" in answer["error"]


async def test_a_trigger_is_switched_off_at_once_and_on_after_a_yes_that_was_meant(served: Served):
    path = "/api/triggers/tidy/switch"

    off = await served.web.post(path, json={"on": False})
    asked = (await served.web.post(path, json={"on": True})).json()
    (still,) = (await served.web.get("/api/automation")).json()["triggers"]
    on = await served.web.post(path, json={"on": True, "nonce": asked["nonce"]})
    (now,) = (await served.web.get("/api/automation")).json()["triggers"]

    assert (off.status_code, asked["code"], on.status_code) == (200, "page.sure", 200)
    assert (still["enabled"], now["enabled"]) == (False, True)


async def test_everything_is_paused_at_once_and_goes_on_after_a_yes_that_was_meant(served: Served):
    paused = (await served.web.post("/api/pause", json={})).json()
    asked = await served.web.post("/api/resume", json={})
    still = served.home.settings.policy.paused
    await served.web.post("/api/resume", json={"nonce": asked.json()["nonce"]})

    assert (paused, asked.status_code, still) == ({"paused": True}, 409, True)
    assert not served.home.settings.policy.paused


@pytest.mark.req("S0-88")
async def test_a_trigger_is_added_in_words_switched_deleted_and_not_started_while_automation_is_off(served: Served):
    words = {"words": "every weekday at 8:30 tell me what is on today", "name": "today"}
    shown = (await served.web.post("/api/triggers", json=words)).json()
    before = len(served.home.settings.triggers)
    added = await served.web.post("/api/triggers", json={**words, "nonce": shown["nonce"]})
    await served.web.post("/api/triggers/today/switch", json={"on": False})
    listed = (await served.web.get("/api/automation")).json()["triggers"]
    asked = (await served.web.post("/api/triggers/tidy/delete", json={})).json()
    await served.web.post("/api/triggers/tidy/delete", json={"nonce": asked["nonce"]})
    await served.set("automation.enabled", value=False)
    off = await served.web.post("/api/automate", json={"trigger": "today"})

    assert (shown["shown"]["when"], before, added.status_code) == ("weekdays at 8:30", 1, 200)
    assert [(one["name"], one["enabled"]) for one in listed] == [("tidy", True), ("today", False)]
    assert [one.name for one in served.home.settings.triggers] == ["today"]
    assert (off.status_code, off.json()["code"]) == (409, "automation.off")
    assert "automation is off" in off.json()["error"]


async def test_the_word_for_a_change_counts_for_this_change_alone(served: Served):
    mode = await served.set("policy.mode", "never")

    other = await served.set("policy.allowed_operations", ["*"], mode["nonce"])

    assert (other["status"], other["code"]) == (409, "page.sure")
    assert list(served.home.settings.policy.allowed_operations) == ["task.*", "file.*"]


async def test_a_fact_told_by_another_program_reaches_models_as_words_of_strangers(served: Served):
    told = await served.web.post("/api/context", json={"name": "mood", "value": "tired"})
    wrong = await served.web.post("/api/context", json={"name": "work_minutes", "value": "long"})
    answer = await served.home.ask("hello")
    standing = (await served.web.get("/api/standing")).json()
    await served.web.post("/api/context/mood/forget", json={})

    assert (told.status_code, wrong.status_code, wrong.json()["code"]) == (200, 400, "context.value")
    assert "tired" in answer.trace.user_prompt
    assert "told" in answer.trace.outside
    assert [one["name"] for one in standing["notes"]] == ["mood"]
    assert "told" in standing["exposed"][0]["sources"]
    assert await served.home.sessions.told() == []


async def test_a_standing_permission_is_listed_with_what_it_allowed_and_taken_back(served: Served):
    folder = served.home.settings.policy.home
    for name in ("one", "two"):
        Path(folder, "Documents", f"{name}.txt").write_text("kept")
    await served.set(
        "policy.roots",
        [f"{folder}/Documents"],
        (await served.set("policy.roots", [f"{folder}/Documents"])).get("nonce", ""),
    )
    done = await served.home.run(
        'MOVE_FILE "~/Documents/one.txt" "~/Documents/1.txt"', approver=Client(lambda question: True)
    )
    offer = await served.home.grants.offer(Wish(done.outcomes[0].record.id, ("source", "destination")))
    grant = await served.home.grants.give(offer, Decision(yes=True, by="click", digest=offer.digest))
    await served.home.run('MOVE_FILE "~/Documents/two.txt" "~/Documents/2.txt"')

    (listed,) = (await served.web.get("/api/standing")).json()["grants"]
    await served.web.post(f"/api/grants/{grant.id}/revoke", json={})
    again = await served.web.post(f"/api/grants/{grant.id}/revoke", json={})

    rows = (await served.web.get("/api/rows")).json()["rows"]
    assert [row["operation"] for row in rows[:3]] == ["grants.revoke", "file.move", "grants.give"]
    assert rows[0]["arguments"]["grant"] == grant.id
    assert [row["text"] for row in listed["allowed"]] == ["Move “~/Documents/two.txt” to “~/Documents/2.txt”"]
    assert (await served.web.get("/api/standing")).json()["grants"] == []
    assert again.status_code == 400


async def test_what_is_changed_on_the_page_stands_in_the_history_with_who_did_it_and_what_was_before(served: Served):
    await served.set("policy.mode", "always")
    await served.web.post("/api/pause", json={})
    await served.web.post("/api/triggers/tidy/switch", json={"on": False})
    await served.web.post("/api/triggers/tidy/switch", json={"on": False})

    rows = (await served.web.get("/api/rows", params={"entry": "page", "words": "policy"})).json()["rows"]
    every = (await served.web.get("/api/rows")).json()["rows"]
    one = (await served.web.get(f"/api/rows/{every[-1]['id']}")).json()

    assert [row["operation"] for row in every] == ["triggers.switch", "settings.set", "settings.set"]
    assert [row["arguments"].get("setting") for row in rows] == ["policy.paused", "policy.mode"]
    assert (every[-1]["approved_by"], every[-1]["entry"], every[-1]["state"]) == ("click", "page", "done")
    assert every[-1]["arguments"] == {"setting": "policy.mode", "from": "destructive", "to": "always"}
    assert one["card"]["text"] == "Set policy.mode to “always”; it was “destructive”"
    assert not one["card"]["can_undo_now"]


async def test_the_numbers_are_charts_with_their_title_and_a_table(served: Served):
    await served.web.post("/api/lists", json={"operation": "task.add", "arguments": {"text": "a <b> & c"}})

    charts = (await served.web.get("/api/numbers")).json()["charts"]

    first = charts[0]
    assert [one["title"] for one in charts] == [
        "Actions per day",
        "Taken back per day",
        "Questions saved by permissions per day",
        "Time until you answered",
    ]
    assert (first["says"], len(first["rows"]), first["rows"][-1][1]) == ("1 done", 14, "1")
    assert all("<title>" in one["svg"] and "<desc>" in one["svg"] for one in charts)


async def test_the_doctor_checks_once_for_all_who_ask_at_the_same_time_or_soon_after():
    clock, checked = FakeClock(), list[int]()

    async def check() -> DoctorDocument:
        await checkpoint()
        checked.append(1)
        return DoctorDocument(usable=True, findings=[FindingDocument(f"check {len(checked)}", "good", "", None)])

    checks = Checks(clock, check)
    async with create_task_group() as together:
        for _ in range(5):
            together.start_soon(checks.found)
    soon = await checks.found()
    clock.advance(seconds=5)

    assert [one.findings[0].about for one in (soon, await checks.found())] == ["check 1", "check 2"]


async def test_the_page_is_told_which_operations_ask_in_every_mode(served: Served):
    told = {one["id"]: one["always_asks"] for one in (await served.web.get("/api/settings")).json()["operations"]}

    assert (told["task.add"], told["mail.send"], told["file.move"], told["file.list"]) == (True, True, False, False)


@pytest.mark.thorough
async def test_the_checks_of_the_doctor_are_shown(served: Served):
    found = (await served.web.get("/api/doctor")).json()

    assert {"settings", "policy", "journal"} <= {one["about"] for one in found["findings"]}

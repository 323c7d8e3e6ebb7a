"""Results and rows have the shape that other programs rely on."""

import json
from pathlib import Path

from sayso.core.grant import Wish
from sayso.runtime.grant_documents import add_words, grant_json, offer_json, suggestion_json, trial_json
from sayso.runtime.results import report_json, row_json
from sayso.testing.fakes import Says
from tests.runtime.given import a_policy, given, permitted, taken
from tests.runtime.shelf import old


async def test_a_permission_tells_what_it_lets_happen_and_how_it_stands(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)
        grant = await permitted(it, record, uses=3)

    told = json.loads(json.dumps(grant_json(grant, "expired")))

    assert told == {
        "id": grant.id,
        "operation": "shelf.take",
        "fixed": {"name": "old"},
        "varies": [],
        "reach": {
            "steps": ["shelf.take"],
            "places": [],
            "apps": [],
            "sends": [],
            "kinds": ["holds"],
            "loses": False,
            "changes": 1,
            "backends": {"shelf": "memory"},
        },
        "created": grant.created,
        "expires": grant.expires,
        "uses": 0,
        "most_uses": 3,
        "last_used": None,
        "learnt_from": record.id,
        "given_by": "terminal",
        "entry": "test",
        "revoked": False,
        "revoked_at": None,
        "revoked_by": None,
        "ended": "expired",
        "says": told["says"],
    }


async def test_offers_trials_and_suggestions_are_documents(tmp_path: Path):
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        records = [await taken(it, ("shelf.put", {"name": "a", "text": text})) for text in "123"]
        record = records[-1]
        offer = await it.grants.offer(Wish(record.id))
        trial = await it.grants.tried(offer.grant)
        (suggestion,) = await it.grants.suggest_grants()

    offered = json.loads(json.dumps(offer_json(offer)))
    suggested = json.loads(json.dumps(suggestion_json(suggestion)))
    tried = trial_json(trial)

    assert offered["offer"]["id"] is None
    assert offered["could_vary"] == [{"argument": "text", "within": "any", "of": "", "ending": ""}]
    assert offered["digest"] == offer.digest
    assert suggested["add"] == ["sayso", "grants", "add", record.id, "--vary", "text"] == add_words(suggestion)
    assert (len(suggested["said_yes"]), len(suggested["allowed"]), suggested["asked"]) == (3, 3, [])
    assert [one["because"] for one in json.loads(json.dumps(tried))["asked"]] == ["“text” is not as it was"] * 2


KEYS = {
    "id", "index", "operation", "arguments", "label", "state", "success", "message", "error", "code", "data", "plan",
    "verdict", "digest", "approved_by", "undo", "duration_ms",
}  # fmt: skip


async def test_a_run_has_its_fixed_shape(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(("shelf.take", {"name": "old"}), ("!X", {}), approver=Says(True, by="flag"))
        document = json.loads(json.dumps(report_json(report)))

    assert set(document) >= {"run", "dialect", "dry_run", "needs_clarification", "clarification_reason", "results"}
    first, second = document["results"]
    assert set(first) >= KEYS
    assert first["id"].startswith("do_")
    assert document["run"].startswith("run_")
    assert (first["success"], first["message"], first["error"]) == (True, "Took it", None)
    assert first["undo"] == first["id"]
    assert first["digest"].startswith("sha256:")
    assert first["verdict"]["ruling"] == "ask"
    (change,) = first["plan"]["changes"]
    assert change == {
        "do": {"step": "shelf.take", "name": "old"},
        "undo": {"step": "shelf.put", "name": "old", "text": "o"},
        "expects": {"holds": {"old": {"text": "o", "version": 0}}},
        "left": {"empty": {"old": {}}},
        "outcome": "done",
    }
    assert (second["success"], second["message"], second["error"]) == (False, None, "Unknown command: X")
    assert (second["plan"], second["verdict"], second["digest"], second["undo"]) == (None, None, None, None)


async def test_a_row_adds_where_it_came_from_and_when(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(("shelf.put", {"name": "a"}), session="s1")
        (record,) = await it.again(report)
        row = row_json(record)

    assert set(row) >= KEYS | {"time", "run", "dialect", "entry", "session"}
    assert (row["run"], row["dialect"], row["entry"], row["session"]) == (report.run, "lines", "test", "s1")
    assert row["time"] == "2026-03-14T12:00:00.000Z"


async def test_what_has_no_way_back_or_was_taken_back_has_no_undo(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        burnt = await it.run(("shelf.burn", {"name": "old"}), approver=Says(True))
        put = await it.run(("shelf.put", {"name": "a"}))
        await it.undone()
        (taken_back,) = await it.again(put)
        burning = report_json(burnt)["results"]

    assert isinstance(burning, list)
    assert burning[0]["undo"] is None
    assert row_json(taken_back)["undo"] is None
    assert row_json(taken_back)["state"] == "undone"

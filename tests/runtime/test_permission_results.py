"""Standing permissions as documents: every key that the reference names, and nothing that JSON cannot say."""

import json
from pathlib import Path

from sayso.core.grant import Wish
from sayso.runtime.granting import Granting
from sayso.runtime.permission_results import add_words, grant_json, offer_json, suggestion_json, trial_json
from tests.runtime.given import a_policy, given
from tests.runtime.granted import old, permitted, taken


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
        granting = Granting(it.tools)
        offer = await granting.offer(Wish(record.id))
        trial = await granting.tried(offer.grant)
        (suggestion,) = await granting.suggested()

    offered = json.loads(json.dumps(offer_json(offer)))
    suggested = json.loads(json.dumps(suggestion_json(suggestion)))
    tried = trial_json(trial)

    assert offered["offer"]["id"] is None
    assert offered["could_vary"] == [{"argument": "text", "within": "any", "of": "", "ending": ""}]
    assert offered["digest"] == offer.digest
    assert suggested["add"] == ["sayso", "grants", "add", record.id, "--vary", "text"] == add_words(suggestion)
    assert (len(suggested["said_yes"]), len(suggested["allowed"]), suggested["asked"]) == (3, 3, [])
    assert [one["because"] for one in json.loads(json.dumps(tried))["asked"]] == ["“text” is not as it was"] * 2

"""What journals, homes and the disk hold is still written and read as it was: held against files written once.

A new step, fact or operation has no entry in the files yet; `make golden` adds it and changes no other.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from sayso.assembly.parts import PROVIDERS
from sayso.core.decision import run_digest
from sayso.core.encoding import canonical, digest
from sayso.core.plan import CannotUndo, facts_json, plan_json, step_json
from sayso.policy.grants import definition, visible_definition
from sayso.policy.settings import Policy
from sayso.providers.accounts.keyring import variable
from sayso.providers.calendar.ical.serialize import MARK as EVENT_MARK
from sayso.providers.desktop.linux.sound import MARK as VOICE_MARK
from sayso.providers.files.local.undo_store import ITEM, NOTE, StashNote
from sayso.providers.files.model import SameFolder, Unchanged
from sayso.providers.mail.outbox import Outbox
from sayso.providers.programs.run import STARTED
from sayso.runtime.registry import catalogue, codec
from sayso.runtime.services import digest_of
from sayso.testing.journal import a_record
from tests.golden import files, oracle

CODEC = codec(PROVIDERS)
OPERATIONS = catalogue(PROVIDERS)


@pytest.mark.parametrize(
    ("name", "known"), [("steps", CODEC.steps), ("facts", CODEC.facts), ("operations", OPERATIONS)]
)
def test_each_one_has_an_entry_and_none_has_gone(name: str, known: Mapping[str, object]):
    golden = files.read(name)

    assert sorted(known.keys() - golden.keys()) == [], f"run `make golden` and commit {name}.json"
    assert sorted(golden.keys() - known.keys()) == [], "journals hold these; they must stay readable"


@pytest.mark.req("CR-06")
def test_a_step_is_read_and_written_as_ever():
    for name, pinned in files.read("steps").items():
        step = CODEC.step(pinned["sample"])
        given = {member: pinned["sample"][member] for member in ("step", *pinned["required"])}

        assert not isinstance(step, CannotUndo), name
        assert (step.step, step.store, list(step.paths), list(step.apps)) == (
            name, pinned["store"], pinned["paths"], pinned["apps"],
        )  # fmt: skip
        assert as_written(step_json(step)) == as_written(pinned["sample"])
        assert as_written(step_json(CODEC.step(given))) == as_written(pinned["least"])
        assert oracle.digest(pinned["sample"]) == digest(step_json(step)) == pinned["digest"], name


@pytest.mark.req("CR-06")
def test_a_fact_is_read_and_written_as_ever():
    for name, pinned in files.read("facts").items():
        ((about, members),) = pinned["sample"][name].items()
        given = {name: {about: {member: members[member] for member in pinned["required"] if member != "about"}}}
        facts = CODEC.facts_of(pinned["sample"])

        assert as_written(facts_json(facts)) == as_written(pinned["sample"]), name
        assert as_written(facts_json(CODEC.facts_of(given))) == as_written(pinned["least"]), name
        assert oracle.digest(pinned["sample"]) == digest(facts_json(facts)) == pinned["digest"], name


def as_written(value: Any) -> Any:
    """Return a value with the members of objects as pairs, so that their order counts, and tuples as lists."""
    if isinstance(value, Mapping):
        return [(name, as_written(one)) for name, one in cast("Mapping[str, Any]", value).items()]
    if isinstance(value, (list, tuple)):
        return [as_written(one) for one in cast("list[Any]", value)]
    return value


def test_a_plan_is_read_and_written_and_approved_as_ever():
    pinned = files.read("plans")

    for name, case in pinned["actions"].items():
        plan = CODEC.plan(case["plan"])
        record = a_record(
            1, operation=case["operation"], arguments=case["arguments"], plan=plan_json(plan), policy=case["policy"],
            code_hash=case["handler"],
        )  # fmt: skip

        assert canonical(plan_json(plan)) == oracle.canonical(case["plan"]), name
        assert digest_of(record, OPERATIONS) == case["digest"], name
    run = pinned["run"]
    assert run_digest(run["digests"]) == oracle.digest(run["digests"]) == run["digest"]


@pytest.mark.req("AV-11")
def test_an_operation_is_the_same_or_has_a_new_version():
    changed = [
        f"{name}: its declaration changed, so raise `version` in its @operation(…) (which ends the grants given for "
        "it), or take the change back; then run `make golden`"
        for name, pinned in files.read("operations").items()
        if (version := definition(OPERATIONS[name]).partition(" ")[0]) in pinned
        and oracle.digest(visible_definition(OPERATIONS[name])) != pinned[version]
    ]
    unknown = [
        f"{name}: run `make golden` to write down {now[0]}"
        for name, pinned in files.read("operations").items()
        if (now := definition(OPERATIONS[name]).split(" "))[0] not in pinned
    ]

    assert changed + unknown == []
    assert all(definition(one).split(" ")[1] == oracle.digest(visible_definition(one)) for one in OPERATIONS.values())


def test_the_hash_of_a_policy_is_made_of_the_same_members():
    pinned = files.read("policy")
    own = {name: pinned[name] for name in ("home", "own", "real_home", "real_own")}
    policy = Policy(**own, roots=tuple(pinned["roots"]), real_roots=tuple(pinned["real_roots"]))

    assert policy.hash == oracle.digest(pinned), "a new setting ends what was given under mode “always”; pin it here"


PINNED = files.read("disk")
A_FILE = Unchanged("/home/ana/b.txt", "file", 1, 2, 3, 4, "0a", 5, "0b")
NOTES = [
    StashNote("file.keep", "/home/ana/b.txt", "2026-03-14T12:00:00.000Z"),
    StashNote(
        "file.replace", "/home/ana/b.txt", "2026-03-14T12:00:00.000Z", A_FILE, A_FILE,
        (SameFolder("/home/ana", 1, 2),), pruned=True, owner="0c", grown=True,
    ),
]  # fmt: skip


def test_a_note_of_what_is_kept_for_undo_is_written_and_read_as_ever():
    assert [msgspec.json.encode(note).decode() for note in NOTES] == PINNED["notes"]
    assert [msgspec.json.decode(text, type=StashNote) for text in PINNED["notes"]] == NOTES


def test_a_mail_that_is_being_sent_is_known_by_the_same_file(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")

    outbox.mark_going("<1@example.org>", datetime(2026, 3, 14, tzinfo=UTC))
    going = [file.name for file in outbox.folder.iterdir()]
    outbox.mark_sent("<1@example.org>")

    assert [*going, *(file.name for file in outbox.folder.iterdir())] == PINNED["outbox"]


def test_marks_and_names_are_the_same():
    now = {
        "kept": [ITEM, NOTE],
        "started": STARTED,
        "speaks": VOICE_MARK,
        "event": EVENT_MARK,
        "password": variable("mail"),
    }

    assert now == PINNED["names"]

"""A home is opened, asked and closed; two at once know nothing of each other."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

import sayso
from sayso.assembly.home import Home, Questions
from sayso.assembly.watched import AnsweredElsewhere
from sayso.core.decision import Decision, Question
from sayso.core.errors import Candidate, ProposalError, ProviderError, Refused, SetupError
from sayso.core.record import State
from tests.assistant.homes import a_home


async def test_without_a_home_there_is_nothing_to_answer_from():
    with pytest.raises(ProviderError, match="nothing is known here"):
        await Questions().answer("what?", "")


@pytest.mark.req("S4-37")
async def test_what_answers_is_made_once(tmp_path: Path):
    async with a_home(tmp_path) as home:
        assert home.questions.answering is home.questions.answering
        assert "reddit" in await home.questions.answer("tabs?", "s")


ASKED = '{"actions": [{"templateId": "brief", "label": "Go", "params": {"to": "x"}}]}'


@pytest.fixture
def own(tmp_path: Path, scratch_home: Path) -> Path:
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def planted(own: Path, *ids: str) -> None:
    templates = ", ".join(f'{{id = "{id_}"}}' for id_ in ids)
    (own / "config.toml").write_text(f"[talk]\nkind = 'memory'\nworld = {{ templates = [{templates}] }}\n")


@pytest.mark.req("T-78", "S3-19")
@pytest.mark.parametrize(
    ("ids", "there", "candidates"),
    [((), "none", ()), (("brief_ceo", "pay"), "brief_ceo, pay", (Candidate("brief_ceo"), Candidate("pay")))],
)
async def test_an_unknown_template_is_named_with_those_there_are(
    ids: tuple[str, ...], there: str, candidates: tuple[Candidate, ...], own: Path
):
    planted(own, *ids)
    async with sayso.open_home(str(own)) as home:
        report = await home.run(ASKED, "actions")
        (given,) = home.results_for(report)

    (outcome,) = report.outcomes
    sentence = f'Template "brief" not found. Available templates: {there}'
    assert (outcome.record.state, outcome.record.marks.error) == (State.INVALID, sentence)
    assert (outcome.record.marks.code, outcome.candidates) == ("template.not_found", candidates)
    assert (given["success"], given["message"]) == (False, sentence)


async def test_what_is_wrong_already_keeps_its_own_problem_and_others_are_left_alone(own: Path):
    items: list[dict[str, Any]] = [{"templateId": "brief", "params": 1}, {"templateId": "other"}]
    async with sayso.open_home(str(own)) as home:
        report = await home.run(json.dumps({"actions": items}), "actions")
        lines = await home.run("TASK_ADD x")

    assert [one.record.marks.code for one in report.outcomes] == ["arguments.type", "template.not_found"]
    assert lines.outcomes[0].record.state is State.WAITING


@pytest.mark.req("T-78", "T-37")
async def test_what_a_person_edits_is_held_against_the_actions_there_are_too(own: Path):
    instance = '{instance_id = "i", session_id = "s", template_id = "brief"}'
    (own / "config.toml").write_text(
        f'[talk]\nkind = "memory"\nworld = {{templates = [{{id = "brief"}}], instances = [{instance}]}}\n'
    )
    action = {"templateId": "brief", "params": {"instance_id": "i", "session_id": "s"}}
    asked: list[str | None] = []

    def edits(question: Question) -> bool | Decision:
        asked.append(question.cards[0].template_id)
        (proposal,) = home.read(json.dumps({"actions": [{**action, "templateId": "brieg"}]}), "actions").proposals
        return question.edit("client", [proposal])

    async with sayso.open_home(str(own)) as home:
        waits = await home.run(json.dumps({"actions": [action]}), "actions")
        reports = [
            await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(edits)),
            await home.approve(waits.run, sayso.Client(edits)),
        ]
        again = await home.run(json.dumps({"actions": [action]}), "actions")
        reports += await home.approve_all([again.run], sayso.Client(edits))
        done = await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(lambda q: True))
        nobody = await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(lambda q: None))

    assert asked == ["brief"] * 3
    for report in reports:
        (edit,) = report.edits
        assert edit.outcomes[0].record.marks.code == "template.not_found"
    assert done.outcomes[0].record.state is State.DONE
    assert nobody.outcomes[0].record.state is State.WAITING


def documents(home: Path) -> Path:
    folder = home / "Documents"
    folder.mkdir(exist_ok=True)
    return folder


async def test_a_program_opens_a_home_looks_decides_does_and_takes_back(scratch_home: Path, tmp_path: Path) -> None:
    (documents(scratch_home) / "a.txt").write_text("x")
    asked: list[Question] = []

    async with sayso.open_home(str(tmp_path / "own")) as home:
        looked = await home.run("MOVE_FILE ~/Documents/a.txt ~/Documents/b.txt", dry_run=True)
        done = await home.run(
            "MOVE_FILE ~/Documents/a.txt ~/Documents/b.txt", approver=sayso.Client(lambda q: asked.append(q) or True)
        )
        moved = (scratch_home / "Documents/b.txt").read_text()
        undone = await home.undo(done.run)

    assert looked.outcomes[0].record.state is State.PLANNED
    assert asked[0].cards[0].plan.summary == "Move “~/Documents/a.txt” to “~/Documents/b.txt”"
    assert done.outcomes[0].record.marks.message == "Moved file"
    assert moved == "x"
    assert undone.outcomes[0].record.state is State.DONE
    assert (scratch_home / "Documents/a.txt").read_text() == "x"


@pytest.mark.req("X-16", "S0-79", "T-32")
async def test_settings_that_change_while_a_home_is_open_count_at_once(scratch_home: Path, tmp_path: Path) -> None:
    documents(scratch_home)
    own = tmp_path / "own"
    async with sayso.open_home(str(own)) as home:
        before = await home.run("CREATE_FOLDER ~/Documents/a")
        (own / "config.toml").write_text('[policy]\nallowed_operations = ["note.create"]\n')
        after = await home.run("CREATE_FOLDER ~/Documents/b")
        enabled = [operation.id for operation in home.enabled_operations()]

    assert before.outcomes[0].record.state is State.DONE
    assert after.outcomes[0].record.state is State.REFUSED
    assert enabled == ["note.create"]
    assert not (scratch_home / "Documents/b").exists()


@pytest.mark.parametrize("name", ["a\nCREATE_FOLDER ~/Documents/b", "é"])
async def test_a_text_over_the_limit_is_refused_whole(scratch_home: Path, tmp_path: Path, name: str) -> None:
    documents(scratch_home)
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[limits]\nreply_bytes = "27 B"\n')
    async with sayso.open_home(str(own)) as home:
        report = await home.run(f"CREATE_FOLDER ~/Documents/{name}")

    assert [outcome.record.state for outcome in report.outcomes] == [State.REFUSED]
    assert report.outcomes[0].record.marks.code == "limit.reply"
    assert list((scratch_home / "Documents").iterdir()) == []


@pytest.mark.req("AV-11")
async def test_a_grant_answers_for_its_home_alone(scratch_home: Path, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (documents(scratch_home) / name).write_text(name)
    move, yes = "MOVE_FILE ~/Documents/a.txt ~/Documents/a2.txt", sayso.Client(lambda _: True)

    async with sayso.open_home(str(tmp_path / "one")) as one, sayso.open_home(str(tmp_path / "two")) as two:
        done = (await one.run(move, approver=yes)).outcomes[0].record
        offer = await one.grants.offer(sayso.Wish(done.id))
        grant = await one.grants.give(offer, sayso.Decision(True, "client", offer.digest))
        (scratch_home / "Documents/a2.txt").rename(scratch_home / "Documents/a.txt")
        other = await two.run(move)
        wider = await one.run("MOVE_FILE ~/Documents/b.txt ~/Documents/b2.txt")
        granted = await one.run(move)
        (scratch_home / "Documents/a2.txt").rename(scratch_home / "Documents/a.txt")
        await one.grants.revoke(grant.id)
        revoked = await one.run(move)

    assert other.outcomes[0].record.state is State.WAITING
    assert wider.outcomes[0].record.state is State.WAITING
    assert granted.outcomes[0].record.state is State.DONE
    assert granted.outcomes[0].record.marks.approved_by == f"grant:{grant.id}"
    assert revoked.outcomes[0].record.state is State.WAITING


async def test_no_grant_is_given_for_what_always_asks_or_does_not_exist(scratch_home: Path, tmp_path: Path) -> None:
    (documents(scratch_home) / "a.txt").write_text("a")
    async with sayso.open_home(str(tmp_path / "own")) as home:
        report = await home.run("DELETE_FILE ~/Documents/a.txt", approver=sayso.Client(lambda _: True))

        with pytest.raises(Refused, match=r"file\.delete always asks"):
            await home.grants.offer(sayso.Wish(report.outcomes[0].record.id))
        with pytest.raises(ProposalError, match="there is no action"):
            await home.grants.offer(sayso.Wish("do_0000000000000"))
        with pytest.raises(ProposalError, match="there is no standing permission"):
            await home.grants.revoke("grant_x")


@pytest.mark.req("X-05", "T-56")
async def test_what_nothing_serves_here_says_so_and_pretends_nothing(scratch_home: Path, tmp_path: Path) -> None:
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(scratch_home)}) as home:
        report = await home.run('NOTIFY "A" "B"')

    record = report.outcomes[0].record
    assert record.state is State.FAILED
    assert (record.marks.error or "").startswith("not available on this system: “desktop”: there is no desktop session")
    assert (record.marks.error or "").endswith("; start sayso from within your desktop")


async def test_a_setting_that_is_wrong_is_one_clear_sentence(scratch_home: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[policy]\nmode = "sometimes"\n')
    with pytest.raises(SetupError, match=r"“mode” in \[policy\] must be one of always, destructive, never"):
        async with sayso.open_home(str(own)):
            pass


@pytest.mark.req("X-15")
async def test_everything_of_a_home_is_for_its_owner_alone(scratch_home: Path, tmp_path: Path) -> None:
    (documents(scratch_home) / "a").write_text("old")
    own = tmp_path / "own"
    async with sayso.open_home(str(own)) as home:
        await home.run('WRITE_FILE ~/Documents/a "new"', approver=sayso.Client(lambda q: True))

    assert own.stat().st_mode & 0o777 == 0o700
    for path in own.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 or path.name == "item", path


async def test_the_catalogue_has_every_operation_of_the_specification(scratch_home: Path, tmp_path: Path) -> None:
    async with sayso.open_home(str(tmp_path / "own")) as home:
        ids = set(home.operations)

    assert len(ids) >= 65 + 11
    assert {"file.move", "mail.send", "tab.close", "task.complete", "habit.log", "template.run", "system.query"} <= ids


async def test_the_journal_is_found_again(scratch_home: Path, tmp_path: Path) -> None:
    documents(scratch_home)
    own = tmp_path / "own"
    async with sayso.open_home(str(own)) as home:
        await home.run("CREATE_FOLDER ~/Documents/a")
    async with sayso.open_home(str(own)) as home:
        (record,) = await home.log()
        assert (await home.journal.verify()).problem is None

    assert record.operation == "file.mkdir"
    assert sqlite3.connect(own / "sayso.db").execute("SELECT count(*) FROM action").fetchone() == (1,)


async def test_what_a_dialect_warns_of_is_told_with_the_outcomes(scratch_home: Path, tmp_path: Path) -> None:
    async with sayso.open_home(str(tmp_path / "own")) as home:
        report = await home.run("MOVE_FIL ~/a ~/b")

    assert report.outcomes[0].record.marks.error == "Unknown command: MOVE_FIL ~/a ~/b"
    assert "MOVE_FILE" in report.warnings[0]


async def test_what_is_asked_elsewhere_and_given_up_is_no_no_of_the_person(own: Path):
    looked = anyio.Event()

    def changed() -> anyio.Event:
        looked.set()
        return anyio.Event()

    async def run(home: Home) -> None:
        await home.run("TASK_ADD x", approver=AnsweredElsewhere(home, changed))

    async with sayso.open_home(str(own)) as home:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, home)
            await looked.wait()
            tasks.cancel_scope.cancel()
        (record,) = await home.log()

    assert (record.state, record.marks.code) == (State.DECLINED, "call.withdrawn")

"""The built-in rules answer at every entry point, with no key and no network."""

from pathlib import Path

import pytest

import sayso
from sayso.assistant.asker import Asker
from sayso.core.record import State
from tests.assistant.homes import a_home

YES = sayso.Client(lambda _: True)


@pytest.mark.parametrize("entry", ["commands", "chat", "automation"])
async def test_words_become_deeds_at_every_entry_point(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("create a folder called Trips in Documents", entry)

    assert (tmp_path / "Documents" / "Trips").is_dir()
    assert (answer.model, [one.record.state for one in answer.report.outcomes]) == ("embedded", [State.DONE])


@pytest.mark.req("S4-48", "S4-49")
async def test_what_is_not_sure_is_asked_back_and_nothing_is_done(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("delete everything", "commands", asker=Asker(approver=YES))

    assert answer.report.needs_clarification
    assert answer.report.outcomes == ()


@pytest.mark.req("T-100", "S4-36")
async def test_a_question_gets_a_plain_list(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("what tabs are open?", "commands")

    assert "https://www.reddit.com/" in answer.report.outcomes[0].text


@pytest.mark.req("S4-44")
async def test_a_file_and_a_project_are_found_by_what_they_are_called(tmp_path: Path):
    documents = tmp_path / "Documents"
    (documents / "plan" / ".git").mkdir(parents=True)
    async with a_home(tmp_path) as home:
        (documents / "report.pdf").write_text("x")
        (documents / "Invoices").mkdir()
        opened = await home.ask("open the report", "commands", asker=Asker(dry_run=True))
        moved = await home.ask("move report.pdf to the invoices folder", "commands", asker=Asker(approver=YES))
        automated = await home.ask("nothing", "automation")

    assert [one.record.operation for one in opened.report.outcomes] == ["file.open"]
    assert opened.report.outcomes[0].record.arguments["path"] == str(documents / "report.pdf")
    assert [one.record.state for one in moved.report.outcomes] == [State.DONE]
    assert (documents / "Invoices" / "report.pdf").read_text() == "x"
    assert "Recent projects: plan" in automated.trace.user_prompt

"""The automation: what started it is answered with lines, shown where approval is needed, else run."""

from datetime import datetime
from pathlib import Path

import pytest

import sayso
from sayso.assistant.answer import Asker
from sayso.core.errors import ProviderError
from sayso.core.model import Ended, Said
from sayso.core.record import State
from sayso.core.sessions import Told
from sayso.testing.fakes import NOON, FakeClock
from sayso.testing.scripted import Scripted
from tests.assistant.homes import a_home, last

YES = sayso.Client(lambda _: True)
TRIGGER = "user pressed Automate on 'Clean downloads'"


@pytest.mark.req("S0-02", "S0-04", "S0-67", "S0-85")
async def test_one_run_goes_from_trigger_to_results_and_its_trace_has_all_stages(tmp_path: Path):
    model = Scripted('CREATE_FOLDER "~/Documents/Old"\n')
    async with a_home(tmp_path) as home:
        answer = await home.ask(TRIGGER, "automation", model)

    trace = answer.trace.json()
    parts = ["context", "system_prompt", "user_prompt", "response", "commands", "results"]
    assert [key for key in trace if key in parts] == parts
    assert f"TRIGGER:\n<trigger>\n{TRIGGER}\n</trigger>" in str(trace["user_prompt"])
    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    assert (tmp_path / "Documents" / "Old").is_dir()


@pytest.mark.req("S0-71", "S0-85")
async def test_where_no_action_is_needed_all_parts_are_there_and_nothing_is_done(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask(TRIGGER, "automation", Scripted("# No action needed"))

    trace = answer.trace.json()
    assert (trace["commands"], trace["results"]) == ([], [])
    assert "# No action needed" in str(trace["system_prompt"])
    assert answer.report.outcomes == ()


@pytest.mark.req("T-50", "S0-65")
async def test_what_needs_approval_is_shown_whole_before_any_of_it_runs(tmp_path: Path):
    reply = 'CREATE_FOLDER "~/Documents/Old"\nDELETE_FILE "~/Documents/a.txt"\n'
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "a.txt").write_text("x")
        waiting = await home.ask(TRIGGER, "automation", Scripted(reply))
        before = (tmp_path / "Documents" / "Old").exists()
        asked: list[int] = []
        client = sayso.Client(lambda question: asked.append(len(question.cards)) or True)
        done = await home.ask(TRIGGER, "automation", Scripted(reply), Asker(approver=client))

    assert [one.record.state for one in waiting.report.outcomes] == [State.WAITING, State.WAITING]
    assert not before
    assert asked == [2]
    assert [one.record.state for one in done.report.outcomes] == [State.DONE, State.DONE]


@pytest.mark.req("S0-68", "S0-69", "S0-70")
async def test_the_moment_is_told_as_it_was_told_to_sayso(tmp_path: Path):
    model = Scripted("# No action needed", "# No action needed")
    async with a_home(tmp_path) as home:
        await home.run('TASK_ADD "t1"\nTASK_ADD "t2"', approver=YES)
        await home.ask(TRIGGER, "automation", model)
        for name, value in (("work_minutes", 95), ("projects", ["A", "B"]), ("mood", "calm"), ("insights", "x < y")):
            await home.sessions.tell(Told(name, value, "2026-03-14T12:00:00.000Z"))
        await home.ask(TRIGGER, "automation", model)

    first, second = (asked.turns[-1].text for asked in model.asked)
    assert "User mood: unknown" in first
    assert "Work duration: unknown" in first
    assert "Pending tasks: t1; t2" in first
    for said in ("User mood: calm", "Work duration: 95 minutes", "Recent projects: A, B", "x \\u003c y"):
        assert said in second


@pytest.mark.req("S0-26", "S0-63", "S2-46")
async def test_only_the_line_that_was_wrong_is_written_again_and_what_was_done_stays(tmp_path: Path):
    model = Scripted('CREATE_FOLDER "~/Documents/A"\nCREATE_FOLDR "~/Documents/B"\n', 'CREATE_FOLDER "~/Documents/B"\n')
    async with a_home(tmp_path) as home:
        answer = await home.ask(TRIGGER, "automation", model)

    assert [(one.record.index, one.record.state) for one in answer.report.outcomes] == [
        (0, State.DONE),
        (1, State.DONE),
    ]
    assert sorted(folder.name for folder in (tmp_path / "Documents").iterdir()) == ["A", "B"]
    assert "must not be written again" in model.asked[1].turns[-1].text


async def test_what_its_writer_has_no_better_words_for_stays_a_failure(tmp_path: Path):
    model = Scripted('CREATE_FOLDR "~/Documents/B"\n', "# No action needed")
    async with a_home(tmp_path) as home:
        answer = await home.ask(TRIGGER, "automation", model)

    assert [one.record.state for one in answer.report.outcomes] == [State.INVALID]


@pytest.mark.req("S0-01", "S0-05", "S0-61")
async def test_program_code_is_never_run_and_each_line_of_it_is_told(tmp_path: Path):
    code = 'import os; os.remove("x")'
    async with a_home(tmp_path) as home:
        answer = await home.ask(TRIGGER, "automation", Scripted(code, code))

    assert [one.record.marks.error for one in answer.report.outcomes] == [f"Unknown command: {code}"]


async def test_a_reply_that_was_cut_off_is_not_carried_out_at_all(tmp_path: Path):
    cut = [Said('CREATE_FOLDER "~/Documents/A"\nDELETE_FILE "~/Documents/a'), Ended("m", "length")]
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="cut off"):
            await home.ask(TRIGGER, "automation", Scripted(cut), Asker("s"))

        assert list((tmp_path / "Documents").iterdir()) == []
        assert "cut off" in str((await last(home, "s")).trace["error"])


async def test_a_model_that_fails_in_the_middle_has_done_nothing_and_its_trace_says_why(tmp_path: Path):
    broken = [Said('CREATE_FOLDER "~/Documents/A"\n'), ProviderError("the server fell silent", "model.silent")]
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="fell silent"):
            await home.ask(TRIGGER, "automation", Scripted(broken), Asker("s"))

        assert list((tmp_path / "Documents").iterdir()) == []
        assert (await last(home, "s")).trace["error"] == "the server fell silent"


async def test_a_reply_that_is_too_long_is_left_and_refused_whole(tmp_path: Path):
    model = Scripted("CREATE_FOLDER ~/Documents/A\n" * 1000)
    async with a_home(tmp_path, '[limits]\nreply_bytes = "100 B"\n') as home:
        answer = await home.ask(TRIGGER, "automation", model)

    assert [one.record.marks.code for one in answer.report.outcomes] == ["limit.reply"]
    assert list((tmp_path / "Documents").iterdir()) == []
    assert model.ended == 0


@pytest.mark.req("T-48")
async def test_the_time_in_the_prompt_is_the_clocks_in_the_persons_own_zone(tmp_path: Path):
    model = Scripted("# No action needed")
    async with a_home(tmp_path, clock=FakeClock()) as home:
        answer = await home.ask(TRIGGER, "automation", model)

    told = datetime.fromisoformat(str(answer.trace.context["time"]))
    assert told == NOON
    assert f"Current time: {NOON.astimezone().strftime('%A %Y-%m-%d %H:%M %z')}" in model.asked[0].turns[-1].text

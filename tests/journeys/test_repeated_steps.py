"""A step that would find nothing to do only because of an earlier one is not called done before that one is."""

from pathlib import Path

import pytest

import sayso
from sayso.core.decision import Question
from sayso.core.record import State
from sayso.testing.fakes import Only, Says

TEXT = 'CREATE_FOLDER "~/Documents/A"\nCREATE_FOLDER "~/Documents/A"\nDELETE_FILE "~/Documents/a.txt"'


@pytest.fixture
def own(scratch_home: Path, tmp_path: Path) -> str:
    (scratch_home / "Documents").mkdir(exist_ok=True)
    (scratch_home / "Documents/a.txt").write_text("x")
    return str(tmp_path / "own")


@pytest.mark.req("T-23")
async def test_while_all_of_it_waits_none_of_it_is_said_to_be_so_already(own: str, scratch_home: Path):
    async with sayso.open_home(own) as home:
        report = await home.run(TEXT)
        await home.decline(report.run)
        states = [one.state for one in await home.log_of(report.run)]

    assert [one.record.state for one in report.outcomes] == [State.WAITING] * 3
    assert states == [State.DECLINED] * 3
    assert not (scratch_home / "Documents/A").exists()


async def test_done_as_a_whole_the_second_finds_nothing_left_to_do(own: str, scratch_home: Path):
    asked: list[Question] = []

    async with sayso.open_home(own) as home:
        report = await home.run(TEXT, approver=sayso.Client(lambda question: asked.append(question) or True))

    assert [one.record.state for one in report.outcomes] == [State.DONE, State.UNCHANGED, State.DONE]
    assert [card.index for card in asked[0].cards] == [0, 1, 2]
    assert (scratch_home / "Documents/A").is_dir()


async def test_with_the_first_left_out_the_second_does_what_was_shown_of_it(own: str, scratch_home: Path):
    async with sayso.open_home(own) as home:
        report = await home.run(TEXT, approver=Says(Only((1, 2))))

    assert [one.record.state for one in report.outcomes] == [State.DECLINED, State.DONE, State.DONE]
    assert (scratch_home / "Documents/A").is_dir()


async def test_what_is_so_already_without_the_earlier_steps_is_unchanged_at_once(own: str, scratch_home: Path):
    (scratch_home / "Documents/A").mkdir()

    async with sayso.open_home(own) as home:
        report = await home.run('CREATE_FOLDER "~/Documents/B"\n' + TEXT)

    states = [one.record.state for one in report.outcomes]
    assert states == [State.WAITING, State.UNCHANGED, State.UNCHANGED, State.WAITING]

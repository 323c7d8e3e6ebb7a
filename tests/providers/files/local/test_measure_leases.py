"""A file that another program is writing to is not exchanged under it."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TextIO

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.files.model import Replace
from tests.providers.files.local.desk import TOKEN, Desk, tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")


@pytest.mark.req("UN-02")
@pytest.mark.parametrize("append", [True, False])
async def test_a_file_that_is_open_for_writing_is_not_replaced(desk: Desk, append: bool):
    path = desk.file("app.log", "line 1\n")
    step = Replace(str(path), "note\n", TOKEN, append=append)
    before = tree(desk.documents)
    facts = await desk.facts(path)

    with closing(path.open("a")) as log:
        with pytest.raises(ProviderError, match="open for writing by another program; close it there first") as said:
            await desk.do(step, facts)
        assert tree(desk.documents) == before
        log.write("line 2\n")

    assert said.value.code == "world.open"
    assert path.read_text() == "line 1\nline 2\n"
    assert not (desk.own / "trash" / TOKEN).exists()


async def test_a_program_that_opens_it_at_the_last_moment_keeps_it(tmp_path: Path):
    logs: list[TextIO] = []
    path = tmp_path / "home/Documents/app.log"

    def come(label: str) -> None:
        if label == "files.replace.noted":
            logs.append(path.open("a"))

    desk = Desk(tmp_path, kill=come)
    desk.file("app.log", "line 1\n")

    with pytest.raises(ProviderError) as said:
        await desk.do(Replace(str(path), "note\n", TOKEN), await desk.facts(path))

    logs[0].close()
    assert said.value.code == "world.open"
    assert path.read_text() == "line 1\n"
    assert list((desk.own / "trash").iterdir()) == []


async def test_readers_are_in_nobodys_way(one_desk: Desk):
    path = one_desk.file("a", "old\n")

    with closing(path.open()) as reading:
        await one_desk.do(Replace(str(path), "new\n", TOKEN), await one_desk.facts(path))
        assert reading.read() == "old\n"

    assert path.read_text() == "new\n"

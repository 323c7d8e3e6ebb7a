"""A thing is given another name only if it is that very thing; another that slipped in is put back."""

from pathlib import Path

import pytest

from sayso.core.errors import Refused, Uncertain
from sayso.providers.files.steps import Rename
from tests.providers.files.local.desk import Desk


async def test_another_thing_that_slipped_in_is_put_back(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def slip(label: str) -> None:
        if label == "files.rename.begun":
            source.rename(source.with_name("mine"))
            source.write_text("another")

    desk = Desk(tmp_path, kill=slip)
    desk.file("a")

    with pytest.raises(Refused) as said:
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert said.value.code == "path.changed"
    assert source.read_text() == "another"
    assert not target.exists()


async def test_when_it_cannot_be_put_back_it_is_said_where_it_lies(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def slip(label: str) -> None:
        if label == "files.rename.begun":
            source.rename(source.with_name("mine"))
        if label in {"files.rename.begun", "files.rename.renamed"}:
            source.write_text(label)

    desk = Desk(tmp_path, kill=slip)
    desk.file("a")

    with pytest.raises(Uncertain, match="now lies at"):
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert target.read_text() == "files.rename.begun"
    assert source.read_text() == "files.rename.renamed"

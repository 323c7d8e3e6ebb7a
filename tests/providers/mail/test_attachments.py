"""Where a file may be saved is judged anew in the act, and what cannot be seen is not claimed."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import CannotTell, Left, NotDone
from sayso.core.ports import Ground
from sayso.providers.mail.attachments import Saving
from sayso.providers.mail.model import MailFile, RemoveSaved, SaveAttachment
from sayso.providers.mail.store import Came, digest_of
from sayso.testing.fakes import FakeClock, NumberedIds

DATA = b"what came"


async def fetch(id_: str, number: int) -> Came:
    return Came("eve@x.test", "Files", "a.bin", DATA)


def saving(home: Path, *roots: Path) -> Saving:
    return Saving(Ground({}, str(home), str(home / ".sayso"), tuple(map(str, roots)), FakeClock(), NumberedIds()))


def step(path: Path, data: bytes = DATA) -> SaveAttachment:
    return SaveAttachment("<a@x.test>", 1, str(path), digest_of(data), len(data), "token")


async def test_a_root_may_itself_be_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "Documents").symlink_to(tmp_path / "real")
    there = saving(tmp_path, tmp_path / "Documents")

    place = await there.place_for("~/Documents", "a.bin")
    await there.carry_out(step(Path(place)), (), fetch)

    assert place == str(tmp_path / "real" / "a.bin")
    assert (tmp_path / "real" / "a.bin").read_bytes() == DATA


async def test_a_step_outside_of_the_roots_is_refused_however_it_came_to_be(tmp_path: Path):
    (tmp_path / "in").mkdir()

    with pytest.raises(Refused, match="outside the folders"):
        await saving(tmp_path, tmp_path / "in").carry_out(step(tmp_path / "a.bin"), (), fetch)

    assert [one.name for one in tmp_path.iterdir()] == ["in"]


async def test_a_way_back_that_knows_nothing_of_the_file_takes_nothing_away(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(DATA)
    there = saving(tmp_path, tmp_path)

    with pytest.raises(ProviderError, match="it is not known"):
        await there.carry_out(RemoveSaved(str(tmp_path / "a.bin"), "t"), (), fetch)

    assert (tmp_path / "a.bin").exists()


async def test_a_file_of_somebody_else_is_never_taken_for_ours(tmp_path: Path):
    there = saving(tmp_path, tmp_path)
    before = await there.settle(step(tmp_path / "a.bin"), ())

    (tmp_path / "a.bin").write_bytes(DATA)
    same = await there.settle(step(tmp_path / "a.bin"), ())
    (tmp_path / "a.bin").write_bytes(b"another")
    other = await there.settle(step(tmp_path / "a.bin"), ())

    assert isinstance(before, NotDone)
    assert isinstance(same, CannotTell)
    assert isinstance(other, CannotTell)
    assert "holds what was to be saved" in same.why
    assert "holds what was to be saved" not in other.why


async def test_what_was_taken_away_by_another_is_not_known_to_be_ours(tmp_path: Path):
    there = saving(tmp_path, tmp_path)
    left = await there.carry_out(step(tmp_path / "a.bin"), (), fetch)
    (tmp_path / "a.bin").unlink()

    settled = await there.settle(RemoveSaved(str(tmp_path / "a.bin"), "t"), left.facts)

    assert isinstance(settled, CannotTell)
    assert not isinstance(settled, Left)


async def test_a_folder_that_is_gone_cannot_tell(tmp_path: Path):
    (tmp_path / "in").mkdir()
    there = saving(tmp_path, tmp_path)
    fact = MailFile(str(tmp_path / "in" / "a.bin"), digest_of(DATA))
    (tmp_path / "in").rmdir()

    settled = await there.settle(RemoveSaved(str(tmp_path / "in" / "a.bin"), "t"), (fact,))

    assert isinstance(settled, CannotTell)

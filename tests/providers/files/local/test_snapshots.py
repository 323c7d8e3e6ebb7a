"""What other programs are about to change is copied before, and a survey shows what they changed, within limits."""

import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.local import snapshots
from sayso.providers.files.model import ExchangeFiles, SameContent
from tests.providers.files.local.desk import TOKEN, Desk


async def test_a_copy_comes_back_whoever_wrote_the_file_anew_meanwhile(desk: Desk):
    path = desk.file("a.txt", "old\n")
    path.chmod(0o640)
    kept = await desk.backend.keep_copy(str(path), TOKEN)
    path.unlink()
    path.write_text("new\n")
    now = await desk.backend.content_at(str(path))
    assert now is not None

    await desk.do(ExchangeFiles(str(path), TOKEN), (now, kept))

    assert (path.read_text(), path.stat().st_mode & 0o777) == ("old\n", 0o640)


async def test_other_content_is_not_the_same_content(desk: Desk):
    path = desk.file("a.txt", "old\n")
    kept = await desk.backend.keep_copy(str(path), TOKEN)
    other = SameContent(str(path), 4, "0" * 64)

    with pytest.raises(ProviderError, match="its content is different"):
        await desk.do(ExchangeFiles(str(path), TOKEN), (other, kept))

    assert path.read_text() == "old\n"


async def test_nothing_is_copied_from_where_actions_may_not_reach(desk: Desk):
    outside = desk.outside / "a.txt"
    outside.write_text("theirs")
    (desk.documents / "link").symlink_to(outside)
    keys = desk.file(".ssh/id", "key")

    for path in (outside, keys, desk.own / "config.toml"):
        with pytest.raises(Refused):
            await desk.backend.keep_copy(str(path), TOKEN)
    with pytest.raises(ProviderError):
        await desk.backend.keep_copy(str(desk.documents / "link"), TOKEN)


async def test_a_survey_leaves_out_denied_names_and_what_programs_fill_and_follows_no_link(desk: Desk):
    desk.file("p/a.txt")
    for name in (".git/config", ".env", "node_modules/x.js", ".venv/bin/python"):
        desk.file(f"p/{name}")
    (desk.documents / "p" / "link").symlink_to(desk.outside)
    (desk.outside / "b.txt").touch()

    seen = await desk.backend.survey(str(desk.documents / "p"), keep=True)

    assert {os.path.relpath(path, desk.documents / "p") for path in seen.entries} == {"a.txt", "link"}
    assert seen.whole


async def test_a_version_of_a_file_is_copied_once_and_large_files_never(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshots, "MOST_BYTES", 10)
    small, large = desk.file("p/small", "small"), desk.file("p/large", "large" * 10)

    first = await desk.backend.survey(str(desk.documents / "p"), keep=True)
    again = await desk.backend.survey(str(desk.documents / "p"), keep=True)

    assert first == again
    assert [bool(first.entries[str(path)].kept) for path in (small, large)] == [True, False]
    assert len(list((desk.own / "trash").iterdir())) == 1


async def test_a_survey_of_too_much_says_that_it_is_not_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshots, "MOST_ENTRIES", 2)
    for name in "abc":
        desk.file(f"p/{name}")

    seen = await desk.backend.survey(str(desk.documents / "p"), keep=False)

    assert (len(seen.entries), seen.whole) == (2, False)


async def test_sayso_s_own_folder_is_in_no_survey(tmp_path: Path):
    desk = Desk(tmp_path, own_name="home/Documents/own")
    desk.file("p.txt")
    (desk.own / "secret").write_text("x")

    seen = await desk.backend.survey(str(desk.documents), keep=True)
    desk.backend.close()

    assert [Path(path).name for path in seen.entries] == ["p.txt"]

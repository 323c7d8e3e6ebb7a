"""Kept places are private, found again from their token, and never given twice."""

import json
import os

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.files.steps import Keep, Unkeep, Write
from tests.providers.files.local.desk import TOKEN, Desk, tree


@pytest.mark.req("X-15")
async def test_places_and_notes_are_for_the_owner_only(desk: Desk):
    mask = os.umask(0)
    try:
        path = desk.file("a.txt")
        await desk.do(Keep(str(path), TOKEN), await desk.facts(path))
    finally:
        os.umask(mask)

    trash = desk.own / "trash"
    assert trash.stat().st_mode & 0o777 == 0o700
    assert (trash / TOKEN).stat().st_mode & 0o777 == 0o700
    assert (trash / TOKEN / "note").stat().st_mode & 0o777 == 0o600
    note = json.loads((trash / TOKEN / "note").read_text())
    assert (note["path"], note["time"], note["was"]["inode"]) == (
        str(path), "2026-03-14T12:00:00+00:00", (trash / TOKEN / "item").stat().st_ino,
    )  # fmt: skip


async def test_a_place_that_holds_something_is_not_given_again(desk: Desk):
    path, other = desk.file("a.txt"), desk.file("b.txt")
    await desk.do(Keep(str(path), TOKEN), await desk.facts(path))
    before = tree(desk.base)

    for step in (Keep(str(other), TOKEN), Write(str(path), "x", TOKEN)):
        with pytest.raises(ProviderError) as said:
            await desk.do(step)
        assert said.value.code == "world.changed"

    assert tree(desk.base) == before


@pytest.mark.parametrize("token", ["../x", "", "a/b", ".", "x" * 101, "ä"])
async def test_a_token_that_is_no_token_is_refused(desk: Desk, token: str):
    path = desk.file("a.txt")

    for step in (Keep(str(path), token), Unkeep(str(desk.documents / "b"), token)):
        with pytest.raises(ProviderError):
            await desk.do(step)

    assert path.exists()


@pytest.mark.req("UN-03")
async def test_a_planted_link_in_the_trash_is_not_followed(desk: Desk):
    path = desk.file("a.txt")
    (desk.own / "trash").mkdir(mode=0o700)
    (desk.own / "trash" / TOKEN).symlink_to(desk.outside)
    (desk.outside / "item").write_text("planted")

    with pytest.raises(ProviderError):
        await desk.do(Unkeep(str(desk.documents / "b"), TOKEN))
    with pytest.raises(ProviderError):
        await desk.do(Keep(str(path), TOKEN), await desk.facts(path))

    assert not (desk.documents / "b").exists()
    assert path.exists()

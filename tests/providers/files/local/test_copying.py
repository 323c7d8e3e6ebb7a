"""Content is copied byte for byte, holes as holes, and read back."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.files.local.copying import copy_attributes, copy_content
from sayso.providers.files.steps import Copy
from tests.providers.files.local.desk import TOKEN, Desk, content, names


@given(
    pieces=st.lists(st.tuples(st.integers(0, 2**18), st.binary(max_size=5000)), max_size=4), end=st.integers(0, 2**18)
)
def test_any_content_comes_out_the_same(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[int, bytes]], end: int
):
    base = tmp_path_factory.mktemp("copy")
    with (base / "a").open("wb") as file:
        for at, data in pieces:
            file.seek(at)
            file.write(data)
        file.truncate(max(end, file.seek(0, os.SEEK_END)))
    source, target = os.open(base / "a", os.O_RDONLY), os.open(base / "b", os.O_RDWR | os.O_CREAT)

    copy_content(source, target, "a")

    os.close(source)
    os.close(target)
    assert (base / "a").read_bytes() == (base / "b").read_bytes()


def test_powers_are_given_on_with_their_owner_only(tmp_path: Path):
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    (tmp_path / "a").chmod(0o4750)
    source, target = os.open(tmp_path / "a", os.O_RDONLY), os.open(tmp_path / "b", os.O_RDWR)

    copy_attributes(source, target, os.fstat(source))

    os.close(source)
    os.close(target)
    assert (tmp_path / "b").stat().st_mode & 0o7777 == 0o4750


@pytest.mark.timeout(120)
async def test_a_tree_of_many_things_is_copied_whole(one_desk: Desk):
    source, target = one_desk.documents / "a", one_desk.documents / "b"
    for number in range(300):
        one_desk.file(f"a/{number % 7}/{number}", str(number))

    await one_desk.do(Copy(str(source), str(target), TOKEN), await one_desk.facts(source), await one_desk.room(target))

    assert content(target) == content(source)


async def test_names_that_are_no_text_are_copied_exactly(one_desk: Desk):
    folder = one_desk.documents / "a"
    folder.mkdir()
    os.close(os.open(os.fsencode(folder) + b"/\xff\n.txt", os.O_CREAT | os.O_WRONLY))

    await one_desk.do(Copy(str(folder), str(one_desk.documents / "b"), TOKEN), await one_desk.facts(folder))

    assert [os.fsencode(name) for name in names(one_desk.documents / "b")] == [b"\xff\n.txt"]


async def test_a_folder_is_not_copied_into_itself(one_desk: Desk):
    one_desk.file("a/x")

    with pytest.raises(ProviderError, match="lies inside"):
        await one_desk.do(Copy(str(one_desk.documents / "a"), str(one_desk.documents / "a/b"), TOKEN))

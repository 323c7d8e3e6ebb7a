"""Content is cut between characters, and says whether it is whole."""

from hypothesis import given
from hypothesis import strategies as st

from sayso.core.plan import Ref
from sayso.providers.files.describing import cut
from sayso.providers.files.overlay import imagine
from sayso.providers.files.steps import Copy, Rename, Replace
from sayso.providers.files.store import Content
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@given(st.text(max_size=20), st.integers(0, 90))
def test_the_start_of_a_text_is_a_text(text: str, limit: int):
    data = text.encode("utf-8", "replace")

    found = cut(data, limit)

    assert data.startswith(found.text.encode())
    assert found.exact == (len(data) <= limit)
    assert len(found.text.encode()) > min(limit, len(data)) - 4


def test_what_is_no_text_is_not_exact():
    assert cut(b"\xff\xfe", 10) == Content("\ufffd\ufffd", 2, exact=False)
    assert cut("é".encode(), 1) == Content("", 2, exact=False)


async def test_a_copy_on_another_disk_lies_there():
    stage = MemoryStage()
    stage.folder(f"{D}/stick", 2)
    stage.folder(f"{D}/f")
    stage.file(f"{D}/f/x", b"inner")
    seen = imagine(stage.backend().reads, Copy(f"{D}/f", f"{D}/stick/f", "k"), Ref(0, 0))

    assert (await seen.look(f"{D}/stick/f")).device == 2
    assert (await seen.look(f"{D}/stick/f/x")).device == 2
    assert (await seen.free(f"{D}/stick/f/new")).device == 2


async def test_a_replaced_file_keeps_its_mode_and_has_one_name():
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")
    stage.thing(f"{D}/a").mode, stage.thing(f"{D}/a").names = 0o600, 2
    seen = imagine(stage.backend().reads, Replace(f"{D}/a", "beta", "k"), Ref(0, 0))
    seen = imagine(seen, Rename(f"{D}/a", f"{D}/b"), Ref(1, 0))

    item = await seen.look(f"{D}/b")

    assert (item.mode, item.links, item.size) == (0o600, 1, 4)

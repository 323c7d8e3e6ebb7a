"""What became of a file that was being taken away is seen, and nobody else's file is ever taken for it."""

from pathlib import Path

import pytest

from sayso.core.ports import KillPoint, no_kill_point
from sayso.providers.disk.aside import became_of
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.texts import Texts, etag_of


class Died(BaseException):
    """The process ended here."""


def texts(top: Path, kill: KillPoint = no_kill_point) -> Texts:
    return Texts(str(top), beneath(), kill)


def dies_at(label: str) -> KillPoint:
    def kill(now: str) -> None:
        if now == label:
            raise Died

    return kill


def became(top: Path) -> str:
    return became_of(texts(top), "a.txt", "token", lambda aside: aside.data == b"mine")


def test_before_anything_was_done_it_is_there_and_without_a_trace_it_is_gone(tmp_path: Path):
    gone = became(tmp_path)
    (tmp_path / "a.txt").write_text("mine")

    assert (gone, became(tmp_path)) == ("gone", "there")


@pytest.mark.parametrize(
    ("aside", "now", "said", "left"),
    [
        ("mine", None, "done", {}),
        ("theirs", None, "changed", {"a.txt": "theirs"}),
        ("theirs", "another", "taken", None),
        ("mine", "another", "taken", None),
    ],
)
def test_what_was_set_aside_says_it(
    tmp_path: Path, aside: str, now: str | None, said: str, left: dict[str, str] | None
):
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(Died):
        texts(tmp_path, dies_at("text.set_aside")).take_away("a.txt", etag_of(b"mine"), "token")
    (hidden,) = tmp_path.iterdir()
    hidden.write_text(aside)
    if now is not None:
        (tmp_path / "a.txt").write_text(now)

    assert became(tmp_path) == said
    there = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert there == (left if left is not None else {hidden.name: aside, "a.txt": now})

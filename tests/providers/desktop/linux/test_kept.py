"""What the clipboard held is kept privately, and not for ever."""

import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.desktop.linux.kept import Held, Kept
from sayso.testing.fakes import NOON


def test_it_comes_back_to_the_byte_and_is_private(tmp_path: Path):
    kept = Kept(str(tmp_path / "own"))

    kept.keep("one", Held("image/png", b"\0\n\xff"))

    assert kept.get("one") == Held("image/png", b"\0\n\xff")
    (file,) = (tmp_path / "own").rglob("one")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]


def test_what_was_forgotten_is_gone(tmp_path: Path):
    kept = Kept(str(tmp_path))
    kept.keep("one", Held(""))

    kept.forget("one")

    assert not kept.has("one")
    with pytest.raises(ProviderError, match="no longer kept"):
        kept.get("one")


@pytest.mark.parametrize("name", ["", "../one", "a/b", ".", "a\n"])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str):
    with pytest.raises(ProviderError, match="nothing is kept under this name"):
        Kept(str(tmp_path)).keep(name, Held(""))


def test_what_is_old_is_let_go(tmp_path: Path):
    kept = Kept(str(tmp_path))
    for name, days in (("old", 91), ("new", 89)):
        kept.keep(name, Held(""))
        (file,) = tmp_path.rglob(name)
        moment = (NOON - timedelta(days=days)).timestamp()
        os.utime(file, (moment, moment))

    assert kept.prune(NOON, timedelta(days=90)) == 1
    assert (kept.has("old"), kept.has("new")) == (False, True)
    assert Kept(str(tmp_path / "none")).prune(NOON, timedelta(days=1)) == 0


def test_what_was_not_kept_is_remembered_beside_it(tmp_path: Path):
    kept = Kept(str(tmp_path))
    kept.keep("a1", Held("image/png", b"\tx\n", "without its other forms (text/html)"))
    (tmp_path / "clipboard" / "old1").write_bytes(b"UTF8_STRING\nkept by an older sayso")

    assert kept.get("a1") == Held("image/png", b"\tx\n", "without its other forms (text/html)")
    assert kept.get("old1") == Held("UTF8_STRING", b"kept by an older sayso")
    assert (kept.lost("a1"), kept.lost("gone1")) == ("without its other forms (text/html)", "")

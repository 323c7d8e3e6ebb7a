"""Pictures are private files, gone after a day."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sayso.providers.browser.live.pictures import keep, remove_old


@pytest.mark.req("T-108", "X-15")
def test_a_picture_is_for_the_person_alone(tmp_path: Path):
    path = Path(keep(str(tmp_path / "own"), "abc", b"png"))

    assert path.read_bytes() == b"png"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    with pytest.raises(FileExistsError):
        keep(str(tmp_path / "own"), "abc", b"other")


@pytest.mark.req("T-108")
def test_pictures_older_than_a_day_are_removed_and_nothing_else(tmp_path: Path):
    now = datetime(2026, 1, 3, tzinfo=UTC)
    young, old = (Path(keep(str(tmp_path), name, b"")) for name in ("young", "old"))
    other = old.parent / "other.png"
    other.touch()
    for path, age in ((young, 23), (old, 24), (other, 99)):
        when = (now - timedelta(hours=age)).timestamp()
        os.utime(path, (when, when))

    assert remove_old(str(tmp_path), now) == 1

    assert sorted(path.name for path in old.parent.iterdir()) == ["other.png", young.name]

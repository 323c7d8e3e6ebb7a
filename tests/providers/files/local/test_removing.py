"""Whole trees go, read-only ones too, and what links point to stays."""

import os
from pathlib import Path

from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.removing import remove
from tests.providers.files.local.desk import names


def test_a_tree_goes_and_the_targets_of_its_links_stay(tmp_path: Path):
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep/x").touch()
    (tmp_path / "t/a/b").mkdir(parents=True)
    (tmp_path / "t/a/f").touch()
    (tmp_path / "t/a/l").symlink_to(tmp_path / "keep")
    (tmp_path / "t/a").chmod(0o500)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("keep")
    here = os.open(tmp_path, FOLDER)

    for name in ("t", "file", "link", "none"):
        remove(here, name)
    os.close(here)

    assert names(tmp_path) == ["keep"]
    assert (tmp_path / "keep/x").exists()

"""Providers of other packages are found wherever Python itself would find them."""

import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sayso.assembly.offered import GROUP, offered

TEXT = f"[{GROUP}]\nshelf = tests.runtime.shelf:SHELF\n"


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is the only one in which packages are looked for."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder)])
    return folder


def found() -> list[str]:
    """Return what sayso finds; it is always what Python finds too."""
    here = [offer.module for offer in offered()]
    assert here == [entry.module for entry in entry_points(group=GROUP)]
    return here


@pytest.mark.parametrize("place", ["shelf-1.0.dist-info/entry_points.txt", "shelf.egg-info/entry_points.txt"])
def test_what_a_package_offers_is_found(alone: Path, place: str):
    file = alone / place
    file.parent.mkdir(parents=True)
    (file.parent / ("METADATA" if "dist-info" in place else "PKG-INFO")).write_text("Name: shelf\nVersion: 1.0\n")
    file.write_text(TEXT)

    assert found() == ["tests.runtime.shelf"]


def test_what_an_egg_offers_is_found(alone: Path, monkeypatch: pytest.MonkeyPatch):
    egg = alone / "shelf.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO/PKG-INFO").write_text("Name: shelf\nVersion: 1.0\n")
    (egg / "EGG-INFO/entry_points.txt").write_text(TEXT)
    monkeypatch.setattr(sys, "path", [str(egg)])

    assert found() == ["tests.runtime.shelf"]


def test_what_is_offered_inside_an_archive_is_found(alone: Path, monkeypatch: pytest.MonkeyPatch):
    archive = alone / "shelf.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("shelf-1.0.dist-info/METADATA", "Name: shelf\nVersion: 1.0\n")
        packed.writestr("shelf-1.0.dist-info/entry_points.txt", TEXT)
    monkeypatch.setattr(sys, "path", [str(archive)])

    assert found() == ["tests.runtime.shelf"]


def test_what_other_finders_know_is_asked_for(alone: Path, monkeypatch: pytest.MonkeyPatch):
    class Own:
        asked = False

        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, *_: object) -> list[object]:
            self.asked = True
            return []

    own = Own()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, own])

    assert list(offered()) == []
    assert own.asked


def test_where_nothing_is_offered_the_slow_search_is_spared(alone: Path, monkeypatch: pytest.MonkeyPatch):
    (alone / "other-1.0.dist-info").mkdir()
    (alone / "other-1.0.dist-info/entry_points.txt").write_text("[console_scripts]\nother = other:main\n")
    monkeypatch.setattr(sys, "path", ["/nowhere/at/all", str(alone)])
    monkeypatch.setitem(sys.modules, "importlib.metadata", None)

    assert list(offered()) == []

"""What sayso is made of here agrees with itself, and is imported only when it is asked for."""

import json
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from msgspec.structs import replace

import sayso.assembly
from sayso.assembly.home import Home
from sayso.assembly.parts import DIALECTS, GROUP, PROVIDERS, dialect, list_offers, providers
from sayso.assembly.wiring import open_home
from sayso.core.errors import SetupError
from sayso.core.lazy import LazySequence, load
from sayso.core.provider import Provider, add_extra
from sayso.dialects.vocabulary import LINES as COMMANDS
from sayso.runtime.registry import catalogue, outside_stores

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
    here = [offer.module for offer in list_offers()]
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

    assert list(list_offers()) == []
    assert own.asked


def test_where_nothing_is_offered_the_slow_search_is_spared(alone: Path, monkeypatch: pytest.MonkeyPatch):
    (alone / "other-1.0.dist-info").mkdir()
    (alone / "other-1.0.dist-info/entry_points.txt").write_text("[console_scripts]\nother = other:main\n")
    monkeypatch.setattr(sys, "path", ["/nowhere/at/all", str(alone)])
    monkeypatch.setitem(sys.modules, "importlib.metadata", None)

    assert list(list_offers()) == []


OPERATIONS = catalogue(providers())


def test_every_step_and_fact_has_a_name_of_its_own() -> None:
    for kind in ("steps", "facts"):
        names = [getattr(part, kind[:-1]) for provider in providers() for part in getattr(provider, kind)]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, kind


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.store)
def test_what_a_provider_names_is_what_stands_there(provider: Provider) -> None:
    kinds = {"id": provider.operations, "step": provider.steps, "fact": provider.facts}
    for name, parts in kinds.items():
        assert isinstance(parts, LazySequence), name
        assert list(parts.names) == [getattr(part, name) for part in parts]


def test_every_step_names_a_store_that_there_is() -> None:
    stores = {provider.store for provider in providers()}

    assert {step.store for provider in providers() for step in provider.steps} <= stores


@pytest.mark.parametrize("provider", providers(), ids=lambda provider: provider.store)
def test_every_operation_looks_at_stores_that_there_are(provider: Provider) -> None:
    stores = {part.store for part in providers()}

    for operation in provider.operations:
        assert set(operation.stores) <= stores, operation.id


@pytest.mark.req("S0-66", "T-12", "T-39")
def test_every_command_of_the_line_dialect_means_an_operation_and_its_arguments() -> None:
    assert len(COMMANDS) == 22
    for command in COMMANDS:
        parameters = {parameter.name: parameter for parameter in OPERATIONS[command.operation].parameters}
        said = (*command.needs, *command.may, *command.fixed)
        required = {name for name, parameter in parameters.items() if parameter.required}
        assert required <= set(said) <= set(parameters), command
        assert command.body is None or parameters[command.body].kind == "text", command


def test_an_unknown_dialect_is_named_with_those_there_are() -> None:
    with pytest.raises(SetupError, match=f"there are: {', '.join(DIALECTS)}"):
        dialect("prose")


def test_every_operation_says_what_it_is_in_a_sentence() -> None:
    for operation in OPERATIONS.values():
        assert operation.summary[0].isupper(), operation.id
        assert len(operation.summary) < 120, operation.id
        assert all(parameter.schema for parameter in operation.parameters), operation.id


WITHOUT_LIBRARIES = """
import json, sys
from sayso.assembly.parts import PROVIDERS
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.runtime.registry import build_backend, outside_stores

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

environ = json.loads(sys.argv[1])
sys.meta_path.insert(0, Missing())
for provider in PROVIDERS:
    for kind, need in provider.requires.items():
        for missing in need.modules:
            for loaded in [name for name in sys.modules if name.startswith(("sayso.providers.", missing))]:
                del sys.modules[loaded]
            try:
                build_backend(provider, kind, BackendContext({}, "", "", (), None, None, environ=environ))
            except SetupError as no:
                print(json.dumps([provider.store, kind, missing, no.code, str(no)]))
"""


def test_each_part_says_which_of_its_stores_hold_text_of_strangers():
    for provider in PROVIDERS:
        told = {store for one in provider.operations if one.outside for store in one.stores}

        assert provider.outside is not None
        assert set(provider.outside) == told
        assert outside_stores([replace(provider, outside=None)]) == told


@pytest.mark.req("X-05")
def test_a_backend_without_its_library_says_which_one_is_missing_and_how_to_get_it():
    told = _without_libraries({"DISPLAY": ":0"})

    assert {row[:3] for row in told} == {
        (provider.store, kind, module)
        for provider in PROVIDERS
        for kind, need in provider.requires.items()
        for module in need.modules
    }
    assert {row[3] for row in told} == {"screen.extra", "mail.extra", "calendar.extra", "web.extra"}
    for _, _, module, _, sentence in told:
        assert module in sentence
        assert sentence.partition("; ")[2] in {add_extra(extra) for extra in ("mail", "calendar", "desktop", "web")}


def test_where_the_session_has_no_display_that_is_said_before_any_library():
    (row,) = (row for row in _without_libraries({}) if row[1] == "x11")

    assert row[3] == "screen.missing"
    assert row[4].startswith("DISPLAY is not set")


def _without_libraries(environ: dict[str, str]) -> list[tuple[str, ...]]:
    argv = [sys.executable, "-c", WITHOUT_LIBRARIES, json.dumps(environ)]
    ended = subprocess.run(argv, capture_output=True, text=True, check=True)
    return [tuple(json.loads(line)) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("error", [ModuleNotFoundError("No module named 'other'", name="other"), ImportError("odd")])
def test_an_error_that_no_declared_library_is_to_blame_for_is_not_explained(error: ImportError):
    assert all(need.explain(error) is None for provider in PROVIDERS for need in provider.requires.values())


@pytest.mark.req("X-04")
def test_every_store_can_be_served_by_a_simulation_in_memory():
    assert {part.store for part in providers() if "memory" not in part.backends} == set()
    assert all(getattr(load(part.backends["memory"]), "__name__", "") for part in providers())


def test_the_ways_in_are_what_they_are_called():
    assert (sayso.assembly.Home, sayso.assembly.open_home) == (Home, open_home)


def test_any_other_name_is_none_of_it():
    with pytest.raises(AttributeError, match="no attribute 'house'"):
        _ = vars(sayso.assembly)["__getattr__"]("house")


def test_the_room_alone_imports_nothing_of_a_home():
    code = "import sys, sayso.assembly.parts; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"sayso.assembly.home", "sayso.assembly.wiring", "anyio", "asyncio", "sqlite3"} & set(loaded)

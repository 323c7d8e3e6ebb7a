"""Wishes are shown only where they come out as a plan, and looking at them leaves no conversation behind."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.assembly import open_home
from sayso.config import load
from sayso.config.paths import in_folder
from sayso.core.errors import SetupError
from sayso.models.vendors import Api, Vendor
from sayso.surfaces.cli.context import this_process
from sayso.surfaces.cli.setup import SetupCheck, candidates, folders, folders_in, list_folders, look, models, wishes
from tests.surfaces.cli.person import tree

Settings = Callable[[str], None]


async def found() -> list[SetupCheck]:
    async with open_home(environ=os.environ) as home:
        there = await wishes(home)
        assert not await home.sessions.all()
    return there


async def test_three_wishes_are_planned_and_none_is_done(person: Path):
    before = tree(person)

    there = await found()

    assert there[0].words == "make a folder called Plans in Documents"
    assert there[0].would == "Create folder “~/Documents/Plans”"
    assert len(there) == 3
    assert tree(person) == before


async def test_what_cannot_be_planned_here_is_left_out(person: Path, settings: Settings):
    (person / "Documents" / "Plans").write_text("in the way")
    settings('[policy]\nallowed_operations = ["task.*", "file.*"]\n')

    assert [one.words for one in await found()] == ["add water the plants to my tasks"]


async def test_where_everything_is_paused_none_works(person: Path, settings: Settings):
    settings("[policy]\npaused = true\n")

    assert await found() == []


def test_a_folder_with_a_name_that_nobody_types_is_in_no_wish():
    odd = ["/home/ana/a\x1b[31mb", "/"]

    assert not any("\x1b" in words or "Plans" in words for words in candidates(odd))


@contextmanager
def listening() -> Generator[int]:
    with create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def set_roots(text: str) -> None:
    home = Path(os.environ["SAYSO_HOME"])
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_text(f"[policy]\nroots = {text}\n")


def test_folders_that_are_there_are_offered(person: Path):
    assert folders(load(os.environ)) == ("~/Documents", "~/Downloads")


def test_a_whole_home_is_not_offered_though_the_settings_name_it(person: Path):
    set_roots('["~", "~/Downloads", "~/Gone"]')

    assert folders(load(os.environ)) == ("~/Downloads",)


def test_a_folder_that_could_not_be_typed_is_not_offered(person: Path):
    (person / "$HOME").mkdir()
    set_roots('["/usr", "~/Downloads"]')
    now = load(os.environ)

    odd = replace(now, policy=replace(now.policy, roots=("/usr", f"{person}/$HOME", f"{person}/Downloads")))

    assert folders(odd) == ("/usr", "~/Downloads")


def test_a_name_alone_is_a_folder_of_the_home(person: Path):
    (person / "a, b").mkdir()
    at = load(os.environ).places

    assert folders_in('Documents, ~/Downloads,"a, b", Documents', at) == ("~/Documents", "~/Downloads", "~/a, b")
    assert folders_in("None", at) == ()
    assert folders_in("/usr", at) == ("/usr",)


@pytest.mark.parametrize("typed", ["~", "~/", "/", "~/..", "Documents, ~/Documents/..", "~/all"])
def test_a_whole_home_is_not_taken_however_it_is_written(person: Path, typed: str):
    (person / "all").symlink_to(person)

    with pytest.raises(SetupError, match="your whole home"):
        folders_in(typed, load(os.environ).places)


def test_what_is_not_there_or_is_sayso_s_own_is_not_taken(person: Path):
    at = in_folder(person / "own", person)
    (person / "own" / "tmp").mkdir(parents=True)

    with pytest.raises(SetupError, match="“~/Nowhere” is not a folder that is there"):
        folders_in("Nowhere", at)
    with pytest.raises(SetupError, match=r"not a folder"):
        folders_in("Downloads/a.txt", at)
    with pytest.raises(SetupError, match="sayso's own"):
        folders_in("own/tmp", at)
    assert not (person / "Nowhere").exists()


@given(
    st.lists(
        st.text(
            st.characters(exclude_categories=["C", "Z"], include_characters=' ,"', exclude_characters="/$"),
            min_size=1,
            max_size=9,
        ),
        max_size=4,
    )
)
def test_what_is_offered_reads_as_itself(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    person = tmp_path_factory.mktemp("home")
    kept = [name for name in names if name == name.strip() and name not in {".", ".."} and name[0] != "~"]
    for name in kept:
        (person / name).mkdir(exist_ok=True)
    paths = tuple(dict.fromkeys(f"~/{name}" for name in kept))

    assert folders_in(list_folders(paths) or "none", in_folder(person / "own-of-sayso", person)) == paths


async def test_models_are_those_whose_key_is_here_and_those_that_let_us_in():
    with listening() as gone:
        pass
    with listening() as port:
        api = Api("", "", "")
        here = Vendor("ollama", "Ollama", api, f"http://127.0.0.1:{port}/v1")
        not_here = Vendor("lmstudio", "LM Studio", api, f"http://127.0.0.1:{gone}/v1")
        keyed = Vendor("acme", "Acme", api, "https://acme.test", ("ACME_OLD", "ACME_KEY"), "https://acme.test/keys")
        keyless = Vendor("other", "Other", api, "https://other.test", ("OTHER_KEY",), "https://other.test/keys")

        found = await models({"ACME_KEY": "s3cret", "OTHER_KEY": " "}, (here, not_here, keyed, keyless))

    assert [one.vendor for one in found] == ["ollama", "acme"]
    assert found[1].says == "Acme: its key stands in ACME_KEY"
    assert not any("s3cret" in one.says for one in found)


def test_the_safest_mode_is_offered_until_one_is_set(person: Path, settings: Callable[[str], None]):
    here = this_process(os.environ, as_json=False)

    first = look(here)
    settings('[policy]\nmode = "never"\n')

    assert first.settings.policy.mode == "destructive"
    assert (first.mode, look(here).mode) == ("always", "never")


def test_looking_makes_nothing(person: Path):
    look(this_process(os.environ, as_json=False))

    assert not Path(os.environ["SAYSO_HOME"]).exists()

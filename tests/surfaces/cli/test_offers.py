"""What a first run offers: folders that are there and never a whole home, and models that could answer."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from socket import create_server

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config import load
from sayso.config.places import in_folder
from sayso.core.errors import SetupError
from sayso.models.vendors import Vendor
from sayso.surfaces.cli.offers import folders, folders_in, listed, models


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

    assert folders_in(listed(paths) or "none", in_folder(person / "own-of-sayso", person)) == paths


async def test_models_are_those_whose_key_is_here_and_those_that_let_us_in():
    with listening() as gone:
        pass
    with listening() as port:
        here = Vendor("ollama", "Ollama", "", "", f"http://127.0.0.1:{port}/v1")
        not_here = Vendor("lmstudio", "LM Studio", "", "", f"http://127.0.0.1:{gone}/v1")
        keyed = Vendor("acme", "Acme", "", "", "https://acme.test", ("ACME_OLD", "ACME_KEY"), "https://acme.test/keys")
        keyless = Vendor("other", "Other", "", "", "https://other.test", ("OTHER_KEY",), "https://other.test/keys")

        found = await models({"ACME_KEY": "s3cret", "OTHER_KEY": " "}, (here, not_here, keyed, keyless))

    assert [one.vendor for one in found] == ["ollama", "acme"]
    assert found[1].says == "Acme: its key stands in ACME_KEY"
    assert not any("s3cret" in one.says for one in found)

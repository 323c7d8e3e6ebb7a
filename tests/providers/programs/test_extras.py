"""The command that adds an extra fits the way in which sayso was installed, and does it."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.programs.extras import Installation, command, how_to_add, packages_of, recorded

ROOT = Path(__file__).parents[3]
UV = ROOT / ".tools" / "bin" / "uv"
ASKS = "from sayso.core.provider import add_extra; print(add_extra('triggers'))"


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (Installation("uv tool", "/h/tools/sayso", "/h/sayso"), "uv tool install '/h/sayso[all]'"),
        (Installation("uv tool", "/h/t", "/h/sayso", editable=True), "uv tool install --editable '/h/sayso[all]'"),
        (Installation("pipx", "/h/venvs/sayso", "/h/a b.whl"), "pipx install --force '/h/a b.whl[all]'"),
        (Installation("pip", "/h/.venv"), "/h/.venv/bin/python -m pip install 'sayso[mail]'"),
        (
            Installation("uv", "/h/.venv", "/h/sayso", editable=True),
            "uv pip install --python /h/.venv/bin/python --editable '/h/sayso[mail]'",
        ),
        (Installation("other", "/usr"), "install these Python packages as you installed sayso: lark, imapclient"),
    ],
)
def test_the_command_is_of_the_program_that_installed_sayso(at: Installation, told: str):
    assert command(at, "mail", ("lark", "imapclient")) == told


@pytest.mark.parametrize(
    ("mark", "kind"),
    [("uv-receipt.toml", "uv tool"), ("pipx_metadata.json", "pipx"), ("pyvenv.cfg", "pip"), ("", "other")],
)
def test_what_installed_sayso_is_told_by_what_it_left(mark: str, kind: str, tmp_path: Path):
    if mark:
        (tmp_path / mark).touch()

    found = recorded(str(tmp_path), "pip\n", json.dumps({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}))

    assert (found.kind, found.source, found.editable) == (kind, str(tmp_path), True)


def test_an_install_from_version_control_is_named_with_its_kind(tmp_path: Path):
    (tmp_path / "uv-receipt.toml").touch()
    url = {"url": "https://code.example.org/sayso", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}}

    found = recorded(str(tmp_path), "uv", json.dumps(url))

    assert command(found, "mail", ()) == "uv tool install 'sayso[all] @ git+https://code.example.org/sayso'"


def test_where_the_file_it_came_from_is_gone_the_packages_are_named(tmp_path: Path):
    (tmp_path / "pyvenv.cfg").touch()

    found = recorded(str(tmp_path), "pip", json.dumps({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}}))

    assert command(found, "triggers", ("cronsim",)).endswith("as you installed sayso: cronsim")


def test_the_packages_of_an_extra_are_those_that_sayso_names():
    told = command(Installation("other", "/usr"), "triggers", packages_of("triggers"))

    assert told == "install these Python packages as you installed sayso: cronsim"


def test_this_checkout_is_added_to_in_its_own_environment():
    assert shlex.split(how_to_add("mail"))[-2:] == ["--editable", f"{ROOT}[mail]"]


@pytest.fixture
def wheel(tmp_path: Path) -> Iterator[Path]:
    """Return a wheel of sayso."""
    if not UV.exists():
        pytest.skip("uv is not there; make setup gets it")
    _run(UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", ROOT)
    (built,) = (tmp_path / "dist").glob("*.whl")
    yield built
    shutil.rmtree(tmp_path / "tools", ignore_errors=True)


@pytest.mark.thorough
def test_the_hint_of_a_tool_of_uv_installs_what_is_missing(wheel: Path, tmp_path: Path):
    here = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    _run(UV, "tool", "install", "--quiet", wheel, **here)
    python = tmp_path / "tools" / "sayso" / "bin" / "python"

    told = _run(python, "-c", ASKS)

    assert told == f"uv tool install '{wheel}[all]'\n"
    _run(UV, *shlex.split(told)[1:], "--quiet", **here)
    assert _run(python, "-c", "import cronsim, imapclient, mcp; print('there')") == "there\n"


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["wheel", "checkout"])
def test_the_hint_in_an_environment_of_the_persons_own_installs_what_is_missing(
    wheel: Path, tmp_path: Path, source: str
):
    _run(UV, "venv", "--quiet", tmp_path / "own")
    python = tmp_path / "own" / "bin" / "python"
    what = [wheel] if source == "wheel" else ["--editable", ROOT]
    _run(UV, "pip", "install", "--quiet", "--python", python, *what)

    told = _run(python, "-c", ASKS)

    _run(UV, *shlex.split(told)[1:], "--quiet")
    assert _run(python, "-c", "import cronsim; print('there')") == "there\n"


def _run(*words: str | Path, **environ: str) -> str:
    ran = subprocess.run(
        [str(word) for word in words], env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout

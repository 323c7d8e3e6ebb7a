"""A token names the agent that it was made for, and nobody can make or change one without the secret."""

from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.runtime.system import RandomIds
from sayso.surfaces.mcp.tokens import FILE, Tokens, secret_in

TOKENS = Tokens(b"a secret of more than thirty-two bytes")


@pytest.mark.parametrize("client", ["", "notes", "a.b-c.9"])
def test_a_token_names_the_agent_that_it_was_made_for(client: str):
    assert TOKENS.client(TOKENS.of(client)) == client


@pytest.mark.parametrize(
    "token",
    [
        "",
        "sayso_",
        "sayso_notes",
        "sayso_notes_",
        TOKENS.of("notes").replace("notes", "other"),
        TOKENS.of("notes").replace("notes_", ""),
        TOKENS.of("notes")[:-1],
        TOKENS.of("notes") + "0",
        TOKENS.of("notes").upper(),
        TOKENS.of("").removeprefix("sayso_"),
        Tokens(b"another secret of more than thirty-two bytes").of("notes"),
        "sayso_nötes_\ud800",
    ],
)
def test_what_is_not_a_whole_token_of_this_home_names_nobody(token: str):
    assert TOKENS.client(token) is None


def test_the_secret_is_made_once_and_only_the_person_can_read_it(tmp_path: Path):
    first = secret_in(tmp_path / "own", RandomIds())
    second = secret_in(tmp_path / "own", RandomIds())

    assert first == second
    assert len(first) == 60
    assert (tmp_path / "own" / FILE).stat().st_mode & 0o777 == 0o600
    assert [file.name for file in (tmp_path / "own").iterdir()] == [FILE]


def test_a_secret_that_others_can_read_or_that_is_cut_off_is_not_used(tmp_path: Path):
    secret_in(tmp_path, RandomIds())

    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(SetupError, match="others can read it; remove the file"):
        secret_in(tmp_path, RandomIds())
    (tmp_path / FILE).chmod(0o600)
    (tmp_path / FILE).write_bytes(b"short")
    with pytest.raises(SetupError, match="is damaged"):
        secret_in(tmp_path, RandomIds())


def test_a_link_in_place_of_the_secret_is_not_followed(tmp_path: Path):
    (tmp_path / "known").write_text("a secret that somebody else knows very well")
    (tmp_path / "known").chmod(0o600)
    (tmp_path / FILE).symlink_to(tmp_path / "known")

    with pytest.raises(SetupError):
        secret_in(tmp_path, RandomIds())

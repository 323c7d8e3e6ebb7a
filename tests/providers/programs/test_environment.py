"""Programs get what they need from the environment."""

from pathlib import Path

from sayso.providers.programs.environment import browsing, found, needed, whole

GIVEN = {"HOME": "/h", "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C", "AWS_SECRET": "s", "SAYSO_MODEL_PASSWORD": "p"}


def test_a_desktop_program_gets_what_leads_to_the_desktop():
    assert needed(GIVEN) == {"HOME": "/h", "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C"}


def test_a_program_of_the_person_gets_all_but_what_is_ours():
    assert whole(GIVEN) == {"HOME": "/h", "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C", "AWS_SECRET": "s"}


def test_a_path_is_taken_as_it_is_where_it_can_run(tmp_path: Path):
    file = tmp_path / "a"
    file.write_text("")

    assert found(str(file), {}) is None
    file.chmod(0o755)
    assert found(str(file), {}) == str(file)
    assert found("a", {"PATH": str(tmp_path)}) == str(file)
    assert found("a", {"PATH": ""}) is None


def test_a_browser_gets_the_way_through_a_proxy_certificates_and_input_methods():
    given = {
        "https_proxy": "http://p:1",
        "NO_PROXY": "x.test",
        "XMODIFIERS": "@im=ibus",
        "SSL_CERT_FILE": "/c",
        **GIVEN,
    }

    assert browsing(given) == {
        "https_proxy": "http://p:1",
        "NO_PROXY": "x.test",
        "XMODIFIERS": "@im=ibus",
        "SSL_CERT_FILE": "/c",
    }

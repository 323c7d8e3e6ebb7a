"""What only the person may do ends with a sentence that says how, wherever there is no person."""

import pytest

from tests.surfaces.cli.person import sayso

ALONE = [
    "approve run_0D8M2YQ5Z3F4K",
    "settle do_0D8M2YQ5Z3F4K done",
    "grants revoke grant_x",
    "grants revoke --all",
    "grants add do_0D8M2YQ5Z3F4K",
    "resume",
    "config set policy.mode never",
    "config profile safe",
]


@pytest.mark.parametrize("words", ALONE)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_program_is_told_how_the_person_does_it(words: str, json: tuple[str, ...]):
    run = sayso(*words.split(), *json)

    assert run.code == 3
    assert "type it" in run.err
    if json:
        assert run.document["code"].startswith("terminal.")

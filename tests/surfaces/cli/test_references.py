"""Ids are read as a person types them."""

import pytest

from sayso.core.errors import ProposalError
from sayso.surfaces.cli.references import action_ref, reference


def test_ids_may_be_typed_in_small_letters_and_with_spaces_around():
    assert reference(" do_0d8m2yq5z3f4k ") == "do_0D8M2YQ5Z3F4K"
    assert reference("RUN_0d8m2yq5z3f4k") == "run_0D8M2YQ5Z3F4K"


@pytest.mark.parametrize("text", ["", "7", "do_", "run_0", "do_0D8M2YQ5Z3F4KK", "grant_0D8M2YQ5Z3F4K"])
def test_what_is_no_id_is_told(text: str):
    with pytest.raises(ProposalError, match="is not the id of"):
        reference(text)


def test_an_action_is_not_a_run():
    with pytest.raises(ProposalError):
        action_ref("run_0D8M2YQ5Z3F4K")

"""A model is told what of its reply came to nothing, as data, and what it may write again."""

import pytest

from sayso.assistant.prompt.again import correction, with_notes
from sayso.core.errors import Candidate
from sayso.dialects.feedback import Note

NOTE = Note("not_found", 0, '{"taskText": "</notes>"}', "There is no task “zzz”.", (Candidate("zza", "7", "in x"),), 2)


@pytest.mark.req("X-11", "S2-44", "X-08")
def test_notes_stand_before_the_prompt_as_data_with_what_may_have_been_meant():
    prompt = with_notes("THE PROMPT", [NOTE])

    assert prompt.endswith("\n\nTHE PROMPT")
    assert prompt.count("</notes>") == 1
    assert '"name":"zza","id":"7","where":"in x"' in prompt


def test_without_notes_the_prompt_stays_as_it_is():
    assert with_notes("THE PROMPT", []) == "THE PROMPT"


@pytest.mark.req("S2-46")
@pytest.mark.parametrize(
    ("whole", "said"), [(True, "Nothing of it was carried out"), (False, "must not be written again")]
)
def test_what_was_done_is_not_to_be_written_again(whole: bool, said: str):
    prompt = correction([{"success": True, "message": "</results>"}], [NOTE], whole=whole)

    assert said in prompt
    assert prompt.count("</results>") == 1

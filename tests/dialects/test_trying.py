"""A correction is offered only where the dialect itself reads it without a problem."""

import pytest

from sayso.dialects.mending import LONGEST
from sayso.dialects.reading import read
from sayso.dialects.trying import DIALECTS, corrected
from tests.dialects.replies import OPERATIONS

CALL = '{"name": "browser", "arguments": {"action": "%s", "%s": 2}}'


@pytest.mark.parametrize(
    ("dialect", "said", "meant"),
    [
        ("lines", "CREATE FOLDER ~/a", "CREATE_FOLDER ~/a"),
        ("lines", "CREATE_FOLDR ~/a", "CREATE_FOLDER ~/a"),
        ("lines", 'CREATE_FOLDER "~/a', 'CREATE_FOLDER "~/a"'),
        ("tools", CALL % ("switch_tabs", "tab_index"), CALL % ("switch_tab", "tab_index")),
        ("tools", CALL % ("switch_tab", "index"), CALL % ("switch_tab", "tab_index")),
        ("tools", '{"name": "file_mkdir", "arguments": {"path": "~/a"}', None),
    ],
)
def test_what_was_meant_is_written_out(dialect: str, said: str, meant: str | None):
    (wrong,) = read(DIALECTS[dialect], OPERATIONS, said).proposals

    found = corrected(dialect, said, wrong.problem or "", OPERATIONS)

    assert found == (meant or said + "}")


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("lines", "FLY ~/a"),
        ("tools", '{"name": "fly", "arguments": {}}'),
        ("tools", '{"name": "file_mkdir", "arguments": {"one": 1, "two": 2}}'),
        ("tools", "{" * (LONGEST + 1)),
    ],
)
def test_nothing_is_offered_where_nothing_is_sure(dialect: str, said: str):
    (wrong,) = read(DIALECTS[dialect], OPERATIONS, said).proposals

    assert corrected(dialect, said, wrong.problem or "", OPERATIONS) == ""

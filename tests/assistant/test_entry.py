"""Each entry point has a prompt and a flow of its own."""

import pytest

from sayso.assembly.asking import ENTRIES


@pytest.mark.req("T-50", "X-20")
def test_the_three_entry_points_differ_in_dialect_and_flow():
    told = {name: (one.dialect.name, one.talks, one.calls, one.remembers, one.batch) for name, one in ENTRIES.items()}

    assert told == {
        "commands": ("commands", False, False, False, True),
        "automation": ("lines", False, False, False, True),
        "chat": ("chat", True, True, True, False),
    }
    assert len({one.system([]) for one in ENTRIES.values()}) == 3

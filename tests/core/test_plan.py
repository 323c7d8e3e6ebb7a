"""Steps that are handed over survive a restart and say what policy must look at."""

import pytest

from sayso.core.codec import Codec, step_json
from sayso.core.plan import HANDED_OVER, OpenFile, RevealFile, Step


@pytest.mark.parametrize("step", [OpenFile("/home/ana/a.md"), OpenFile("/home/ana/a.md", "TextEdit"), RevealFile("/x")])
def test_they_are_read_back_from_the_journal(step: Step):
    document = step_json(step)

    assert Codec(HANDED_OVER, ()).step(document) == step


def test_the_desktop_carries_them_out_and_policy_sees_path_and_application():
    assert {step.store for step in HANDED_OVER} == {"desktop"}
    assert (OpenFile.paths, OpenFile.apps, RevealFile.paths) == (("path",), ("app",), ("path",))

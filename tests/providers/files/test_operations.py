"""Every case of the file operations plans, answers or refuses what it says."""

import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.providers.files.cases import OPERATIONS, cases, outcome


@pytest.mark.parametrize("case", cases())
async def test_an_operation_does_what_its_case_says(case: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch):
    # The words of the cases are those of Linux, wherever they are tried.
    monkeypatch.setattr(sys, "platform", "linux")

    assert await outcome(case) == case["expected"]


def test_every_operation_has_cases():
    named = {case.values[0]["operation"] for case in cases()}

    assert named == set(OPERATIONS)

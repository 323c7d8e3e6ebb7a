"""A fault that ended one action is told in one line, and in full only on demand."""

import io
import logging
from collections.abc import Iterator

import pytest

from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import quiet


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    logger = logging.getLogger("sayso")
    before, propagates = list(logger.handlers), logger.propagate
    yield
    logger.handlers[:], logger.propagate = before, propagates


def told(**environ: str) -> str:
    """Return what is told of a fault."""
    err = io.StringIO()
    quiet(CommandContext(io.StringIO(), err, None, environ))
    logging.getLogger("sayso").error("it broke\x1b[31m", exc_info=ValueError("deep inside"))
    return err.getvalue()


def test_a_fault_is_told_in_one_visible_line():
    said = told()

    assert said.startswith("sayso: it broke")
    assert said.endswith("; with SAYSO_DEBUG=1 the details are printed\n")
    assert "\x1b" not in said
    assert "deep inside" not in said


def test_the_details_are_told_on_demand():
    assert "deep inside" in told(SAYSO_DEBUG="1")

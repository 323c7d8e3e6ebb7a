"""`sayso try` shows the whole path and leaves nothing behind."""

from tests.surfaces.cli.person import sayso


def test_the_demonstration_runs_without_an_answer():
    run = sayso("try")

    assert run.code == 0
    assert "Traceback" not in run.err

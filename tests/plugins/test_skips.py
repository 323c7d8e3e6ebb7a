"""A missing program skips a test on a person's machine; in CI only a macOS part may be skipped."""

import sys

import pytest

from tests.plugins.conftest import Runner

NEEDY = """
    import pytest

    @pytest.mark.needs("sh", "no-such-program")
    def test_it(): pass
"""


def test_a_missing_program_skips_with_what_to_do(run: Runner):
    ran = run(NEEDY, "-rs")

    assert (ran.code, ran.last_line) == (0, "ran 0, skipped 1")
    assert "needs no-such-program; tools/system-packages installs it" in ran.out


def test_a_missing_program_fails_in_ci(run: Runner):
    ran = run(NEEDY, ci=True)

    assert (ran.code, ran.last_line) == (1, "ran 1, skipped 0")


def test_a_program_that_is_there_skips_nothing(run: Runner):
    ran = run(NEEDY.replace(', "no-such-program"', ""), ci=True)

    assert (ran.code, ran.last_line) == (0, "ran 1, skipped 0")


@pytest.mark.parametrize(
    "body",
    [
        "def test_it(): pytest.skip('not today')",
        "@pytest.mark.skip\n    def test_it(): pass",
        "@pytest.mark.xfail\n    def test_it(): raise AssertionError",
        "def test_it(): pytest.xfail('known')",
    ],
    ids=["inside", "marked", "expected failure", "expected inside"],
)
def test_any_other_skip_fails_in_ci(run: Runner, body: str):
    source = f"""
    import pytest

    {body}
    """

    here, in_ci = run(source), run(source, ci=True)

    assert (here.code, here.last_line) == (0, "ran 0, skipped 1")
    assert (in_ci.code, in_ci.last_line) == (1, "ran 1, skipped 0")


def test_a_file_that_skips_itself_fails_in_ci(run: Runner):
    ran = run("import pytest\npytest.skip('not today', allow_module_level=True)", ci=True)

    assert ran.code != 0


def test_a_macos_part_is_skipped_elsewhere_in_ci_too(run: Runner):
    ran = run(
        """
        import pytest

        @pytest.mark.macos
        def test_it(): pass
        """,
        ci=True,
    )

    assert (ran.code, ran.last_line) == (0, "ran 1, skipped 0" if sys.platform == "darwin" else "ran 0, skipped 1")

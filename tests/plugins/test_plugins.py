"""What pytest is taught for this project."""

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.conftest import Runner

MIXED = """
    import pytest

    def test_good(): pass

    def test_bad(): raise AssertionError

    def test_idle(): pytest.skip("not today")

    @pytest.fixture
    def spoiled():
        yield
        raise AssertionError

    def test_spoiled_afterwards(spoiled): pass
"""


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.thorough)])
def test_the_last_line_says_how_many_ran(run: Runner, workers: str):
    ran = run(MIXED, workers)

    assert ran.last_line == "ran 3, skipped 1"
    assert ran.outcome("test_bad") == "failed"
    assert ran.outcome("test_idle") == "skipped"
    assert ran.outcome("test_spoiled_afterwards") == "failed"


def test_how_many_elements_of_the_page_were_judged_is_printed(run: Runner):
    ran = run(
        """
        import pytest

        @pytest.mark.parametrize("nodes", [1200, 34])
        def test_looks(record_property, nodes): record_property("judged", nodes)

        def test_other(): pass
        """
    )

    assert ran.last_line == "ran 3, skipped 0"
    assert "axe-core judged 1,234 elements of the page in 2 tests" in ran.out


def test_a_test_that_takes_its_process_down_has_failed_with_its_ids(run: Runner):
    ran = run(
        """
        import os, pytest

        @pytest.mark.req("S0-01")
        def test_it(): os._exit(3)
        """,
        "-n1",
    )

    assert list(ran.tests.values()) == [{"ids": ["S0-01"], "outcome": "failed", "proof": "read only"}]


def test_nothing_is_left_of_an_earlier_run(run: Runner, pytester: pytest.Pytester):
    run("def test_it(): pass")
    stale = pytester.path / ".build" / "tests.json"
    stale.write_text('{"old": {"ids": ["S0-01"], "outcome": "passed"}}')

    pytester.makepyfile("import nothing_of_this_name")
    pytester.runpytest_subprocess("-p", "tests.plugins.requirements", "-p", "tests.plugins.results")

    assert "S0-01" not in stale.read_text()


NEEDY = '@pytest.mark.needs("sh", "no-such-program")\ndef test_it(): pass'
RAN, SKIPPED = "ran 1, skipped 0", "ran 0, skipped 1"


@pytest.mark.parametrize(
    ("source", "here", "in_ci"),
    [
        (NEEDY, (0, SKIPPED), (1, RAN)),
        (NEEDY.replace(', "no-such-program"', ""), (0, RAN), (0, RAN)),
        ("def test_it(): pytest.skip('not today')", (0, SKIPPED), (1, RAN)),
        ("@pytest.mark.skip\ndef test_it(): pass", (0, SKIPPED), (1, RAN)),
        ("@pytest.mark.xfail\ndef test_it(): raise AssertionError", (0, SKIPPED), (1, RAN)),
        ("def test_it(): pytest.xfail('known')", (0, SKIPPED), (1, RAN)),
        ("@pytest.mark.macos\ndef test_it(): pass", *[(0, RAN if sys.platform == "darwin" else SKIPPED)] * 2),
    ],
    ids=["missing program", "program", "inside", "marked", "expected failure", "expected inside", "macos"],
)
def test_any_skip_but_of_what_only_macos_can_run_fails_in_ci(
    run: Runner, source: str, here: tuple[int, str], in_ci: tuple[int, str]
):
    ran, ran_in_ci = run(f"import pytest\n\n{source}", "-rs"), run(f"import pytest\n\n{source}", ci=True)

    assert (ran.code, ran.last_line) == here
    assert (ran_in_ci.code, ran_in_ci.last_line) == in_ci
    assert ("needs no-such-program; tools/system-packages installs it" in ran.out) is (source == NEEDY)


def test_a_file_that_skips_itself_fails_in_ci(run: Runner):
    ran = run("import pytest\npytest.skip('not today', allow_module_level=True)", ci=True)

    assert ran.code != 0


BOTH = """
    import pytest

    def test_quick(): pass

    @pytest.mark.thorough
    def test_sweep(): pass

    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.thorough)])
    def test_values(n): pass

    @pytest.mark.thorough
    class TestSlow:
        def test_it(self): pass
"""


@pytest.mark.parametrize(
    ("words", "count"), [((), 2), (("--ring", "first"), 2), (("--ring", "thorough"), 3), (("--ring", "all"), 5)]
)
def test_a_ring_holds_its_own_tests_and_no_others(run: Runner, words: tuple[str, ...], count: int):
    ran = run(BOTH, *words, ci=True)

    assert (ran.code, ran.last_line) == (0, f"ran {count}, skipped 0")


def test_a_test_that_is_named_runs_whichever_ring_it_is_in(run: Runner):
    ran = run(BOTH, "test_a_test_that_is_named_runs_whichever_ring_it_is_in.py::test_sweep")

    assert (ran.code, ran.last_line) == (0, "ran 1, skipped 0")


DRAWS = """
    from hypothesis import given, settings, strategies as some

    @settings(max_examples=5)
    @given(some.integers())
    def test_it(number): print("drew", number)
"""


@pytest.mark.parametrize(("workers", "ci"), [("-n0", False), ("-n1", True)])
def test_the_seed_that_was_printed_repeats_the_run(run: Runner, workers: str, ci: bool):
    first = run(DRAWS, "-rP", workers, ci=ci)
    (seed,) = re.findall(r"hypothesis seed: (\d+)", first.out)

    again = run(DRAWS, "-rP", "-n0", f"--hypothesis-seed={seed}", ci=ci)
    other = run(DRAWS, "-rP", "-n0", f"--hypothesis-seed={int(seed) + 1}", ci=ci)

    assert drawn(first.out) == drawn(again.out) != drawn(other.out)


def drawn(out: str) -> list[str]:
    found = re.findall(r"drew .*", out)
    assert found
    return found


SEEN: set[Path] = set()


@pytest.mark.parametrize("time", [1, 2])
def test_home_is_new_and_empty(scratch_home: Path, time: int):
    assert Path.home() == scratch_home
    assert list(scratch_home.iterdir()) == []
    assert Path(os.environ["SAYSO_HOME"]).parent == scratch_home.parent
    assert scratch_home not in SEEN
    assert str(scratch_home) != pwd.getpwuid(os.getuid()).pw_dir
    SEEN.add(scratch_home)


def test_what_one_program_compiled_the_next_one_finds(tmp_path: Path):
    (tmp_path / "module.py").write_text("")

    subprocess.run([sys.executable, "-c", "import module"], cwd=tmp_path, check=True)

    kept = Path(os.environ["PYTHONPYCACHEPREFIX"])
    assert [found.name for found in kept.rglob("module.*.pyc")]


def test_what_leads_to_the_persons_desktop_and_how_their_terminal_looks_is_forgotten(
    run: Runner, monkeypatch: pytest.MonkeyPatch
):
    for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "SAYSO_MAIL_PASSWORD", "NO_COLOR", "TERM"):
        monkeypatch.setenv(name, "theirs")

    ran = run(
        """
        import os

        def test_it(): assert "theirs" not in os.environ.values()
        """
    )

    assert ran.outcome("test_it") == "passed"


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_ids_travel_with_the_results(run: Runner, workers: str):
    ran = run(
        """
        import pytest

        @pytest.mark.req("S0-01", "T-01")
        def test_good(): pass

        @pytest.mark.req("S0-02")
        def test_bad(): raise AssertionError
        """,
        workers,
    )

    assert list(ran.tests.values()) == [
        {"ids": ["S0-02"], "outcome": "failed", "proof": "read only"},
        {"ids": ["S0-01", "T-01"], "outcome": "passed", "proof": "read only"},
    ]
    assert ran.last_line == "ran 2, skipped 0"


SIX = """
    import pytest

    @pytest.mark.req("S0-01", "S0-02", "S0-03", "S0-04", "S0-05", "S0-06")
    def test_all(): pass
"""
WHOLE_CLASS = """
    import pytest

    @pytest.mark.req("S0-01")
    class TestIt:
        def test_one(self): pass
"""
WHOLE_FILE = """
    import pytest

    pytestmark = pytest.mark.req("S0-01")

    def test_one(): pass
"""
WHOLE_FOLDER = """
    import pytest

    @pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.req("S0-01")) for n in range(21)])
    def test_one(n): pass
"""
UNKNOWN = """
    import pytest

    @pytest.mark.req("S9-99")
    def test_it(): pass
"""


# What is refused is refused before a test runs, in a worker by the very same hook.
@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (SIX, "test_all: 6 ids"),
        (UNKNOWN, "test_it: nothing is called S9-99"),
        (WHOLE_CLASS, "TestIt: a requirement is marked on a test, not on what holds many"),
        (WHOLE_FILE, "a requirement is marked on a test, not on what holds many"),
        (WHOLE_FOLDER, "test_one: S0-01 is on 21 pieces of its data; mark the few that prove it"),
    ],
    ids=["six", "unknown", "class", "file", "folder"],
)
def test_marks_that_say_nothing_are_an_error(run: Runner, source: str, said: str, workers: str):
    ran = run(source, workers)

    assert ran.code != 0
    assert said in ran.out
    assert ran.tests == {}


ALL_BUT_ONE = """
    import pytest

    @pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.req(f"S0-0{n}")) for n in range(1, 9)])
    def test_case_of_a_file(n): pass

    @pytest.mark.thorough
    @pytest.mark.req("T-01")
    def test_of_the_other_ring(): pass
"""
THE_ONE = """
    @pytest.mark.req("S0-09")
    def test_last(): pass
"""


@pytest.mark.parametrize(("more", "without"), [("", ["S0-09"]), (THE_ONE, [])])
def test_an_id_that_no_test_of_all_is_marked_with_is_an_error(
    run: Runner, capfd: pytest.CaptureFixture[str], more: str, without: list[str]
):
    ran = run(ALL_BUT_ONE + more, "--collect-only", "-o", "testpaths=.")
    told = capfd.readouterr().err

    assert ran.code == (pytest.ExitCode.USAGE_ERROR if without else pytest.ExitCode.OK)
    assert [name for name in ("S0-08", "S0-09", "T-01") if name in told] == without


def test_each_case_of_a_test_counts_for_itself(run: Runner):
    ran = run(
        """
        import pytest

        @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.req("S0-01")), 2])
        def test_it(n): assert n == 1
        """
    )

    assert ran.tests["test_each_case_of_a_test_counts_for_itself.py::test_it[1]"]["ids"] == ["S0-01"]
    assert ran.tests["test_each_case_of_a_test_counts_for_itself.py::test_it[2]"]["ids"] == []


PROOFS = """
    import subprocess
    import pytest

    class Made:
        name = "made"
        async def apply(self, step, expects): return None

    def does(backend):
        coroutine = backend.apply(None, ())
        try:
            coroutine.send(None)
        except StopIteration:
            pass

    def test_reads(): assert 1

    def test_simulates(): does(Made())

    def test_runs(): subprocess.run(["true"], check=True)

    @pytest.mark.needs("true")
    def test_needs(): pass

    def test_does_nothing_after_it(): assert 1
"""


def test_a_result_says_how_much_the_test_proves(run: Runner):
    ran = run(PROOFS)

    assert {name.rpartition("::")[2]: test["proof"] for name, test in ran.tests.items()} == {
        "test_reads": "read only",
        "test_simulates": "simulated",
        "test_runs": "real",
        "test_needs": "real",
        "test_does_nothing_after_it": "read only",
    }

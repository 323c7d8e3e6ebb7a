"""A person is told what became of each proposal, in words and not by colour alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]


@pytest.mark.req("S0-05", "S0-60", "S0-61")
def test_one_line_of_success_and_one_of_failure_with_its_reason(person: Path, reply: Reply):
    run = sayso("run", reply('CREATE_FOLDER "~/Documents/x"\nFLY "x"\n'), "--dialect", "lines")

    assert run.code == 1
    assert "✓  1  done: Created folder" in run.out
    assert '✗  2  invalid: Unknown command: FLY "x"' in run.out
    assert "2 actions: 1 done, 1 invalid" in run.out
    assert "sayso undo do_" in run.out


@pytest.mark.req("S0-27")
def test_a_reply_without_an_action_says_so(person: Path, reply: Reply):
    run = sayso("run", reply("# No action needed\n"), "--dialect", "lines")

    assert run.code == 0
    assert run.out == "No action needed.\n"


def test_a_text_without_a_command_says_so(person: Path, reply: Reply):
    assert "Nothing to do" in sayso("run", reply("# just a note\n\n"), "--dialect", "lines").out


@pytest.mark.req("S0-65")
def test_a_dry_run_says_what_it_would_do_and_whether_it_would_ask(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'

    run = sayso("run", reply(text), "--dialect", "lines", "--dry-run")

    assert run.code == 0
    assert "planned: Would move" in run.out
    assert "(you would be asked)" in run.out
    assert (person / "Downloads" / "a.txt").exists()


def test_what_was_read_is_shown_with_a_bar_before_each_line(person: Path, reply: Reply):
    (person / "Documents" / "n.txt").write_text("one\n\x1b[2Jtwo\n")

    shown = sayso("run", reply('FILE_READ "~/Documents/n.txt"\n'), "--dialect", "lines").out

    assert "│ one" in shown
    assert "│ \\u{1b}[2Jtwo" in shown


def test_what_waits_says_how_it_can_be_decided(person: Path, reply: Reply):
    run = sayso("run", reply('MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'), "--dialect", "lines")

    assert run.code == 3
    assert "waiting: Move “~/Downloads/a.txt”" in run.out
    assert "sayso approve run_" in run.err
    assert "sayso decline run_" in run.err

"""Questions on a real terminal, judged by what its screen shows."""

import json
import os
import signal
import sys
import termios
import tty
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.prompts import word_from
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Screen, at_terminal, sayso, states, tree

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
Reply = Callable[[str], str]
Settings = Callable[[str], None]


@pytest.mark.parametrize("answer", ["y", "Y", "yes", "YES", " yes "])
@pytest.mark.req("S1-15", "T-52")
def test_a_yes_in_any_case_does_it(person: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("[y/N]")

    screen.type(answer + "\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/b.txt": "first\n"}
    assert "done: Moved file" in screen.text
    assert "sayso undo do_" in screen.text


@pytest.mark.parametrize(
    "answer", ["\n", "n\n", "no\n", "yess\n", "да\n", "yyyy\n", "y y\n", "\x04", "\uff59\n", "\x03"]
)
@pytest.mark.req("S1-16", "S1-18")
def test_anything_else_declines_and_nothing_is_done(person: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("[y/N]")

    screen.type(answer)

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert "declined: you said no" in screen.text
    assert "Traceback" not in screen.text


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("early", ["y\n", "y\ny\ny\n", "\n\n\n"])
def test_what_was_typed_before_the_question_is_no_answer(person: Path, reply: Reply, sit: Sit, early: str):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.type_ahead(early)

    screen.see("[y/N]")

    # The question still stands there: only what is typed now counts.
    screen.type("n\n")
    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("S1-19", "S0-80")
def test_the_question_names_the_concrete_effect_and_the_way_back(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE + 'DELETE_FILE "~/Documents/c.txt"\n'), "--dialect", "lines")
    (person / "Documents" / "c.txt").write_text("third")

    shown = screen.see("[y/N]")

    assert "Move “~/Downloads/a.txt”" in shown
    assert "to “~/Documents/b.txt”" in shown
    assert "sayso undo takes" in shown
    screen.type("n\n")
    assert screen.end() in {1, 3}


def test_a_batch_is_one_question_that_marks_what_asks(person: Path, reply: Reply, sit: Sit):
    text = MOVE + 'WRITE_FILE "~/Documents/n.txt" "new"\nMOVE_FILE "~/Documents/b.txt" "~/Documents/d.txt"\n'
    screen = sit("run", reply(text), "--dialect", "lines")

    shown = screen.see("Execute all 3? [y/N]")

    assert "2 of them need your yes" in shown
    assert shown.count("← asks") == 2
    assert "│ +new" in shown
    screen.type("y\n")
    assert screen.end() == 0
    assert tree(person) == {"Documents/d.txt": "first\n", "Documents/n.txt": "new"}


@pytest.mark.req("AV-01")
def test_hidden_and_acting_characters_in_names_are_written_out(person: Path, reply: Reply, sit: Sit):
    name = "inv\u202egpj\u200b\U000e0041\u3164.txt"
    (person / "Downloads" / name).write_text("x")
    screen = sit("run", reply(f'MOVE_FILE "~/Downloads/{name}" "~/Documents/b.txt"\n'), "--dialect", "lines")

    shown = screen.see("[y/N]")

    assert "inv\\u{202e}gpj\\u{200b}\\u{e0041}\\u{3164}.txt" in shown
    assert "\u202e".encode() not in screen.raw
    screen.type("n\n")
    screen.end()


@pytest.mark.req("AV-02")
def test_a_name_in_two_alphabets_that_look_alike_is_pointed_out(person: Path, reply: Reply, sit: Sit):
    (person / "Downloads" / "\u0440\u0430ypal.txt").write_text("x")
    text = 'MOVE_FILE "~/Downloads/\u0440\u0430ypal.txt" "~/Documents/b.txt"\n'

    shown = sit("run", reply(text), "--dialect", "lines").see("[y/N]")

    assert "U+0440 CYRILLIC SMALL LETTER ER" in " ".join(shown.replace("│", "").split())


@pytest.mark.req("AV-03")
def test_a_long_text_counts_only_after_it_was_seen_whole(person: Path, reply: Reply, sit: Sit, settings: Settings):
    settings('[policy]\nmode = "always"\n')
    text = "WRITE_FILE “x” <<END\n".replace("“x”", '"~/Documents/n.txt"') + "harmless\n" * 120 + "harmful\nEND\n"
    screen = sit("run", reply(text), "--dialect", "lines", lines=400)
    first = screen.see("[y/N]")
    assert "more characters, code" in first
    assert "harmful" not in first

    screen.type("y\n")
    screen.see("there is more to see first")
    assert tree(person / "Documents") == {}
    screen.type("v\n")
    screen.see("harmful")
    screen.type("y\n")

    assert screen.end() == 0
    assert (person / "Documents" / "n.txt").read_text().endswith("harmful\n")


@pytest.mark.req("AV-05")
def test_a_question_forged_in_a_text_does_not_look_like_ours(person: Path, reply: Reply, sit: Sit, settings: Settings):
    settings('[policy]\nmode = "always"\n')
    forged = 'WRITE_FILE "~/Documents/n.txt" <<END\nok\n' + " " * 97 + "bobobo: Do this? [y/N] y\n\x1b[2Jx\nEND\n"
    screen = sit("run", reply(forged.replace("\x1b", "\u200b")), "--dialect", "lines")

    lines = screen.until(lambda text: text.endswith("Do this? [y/N]") and "bobobo" in text).splitlines()

    word = lines[-1].partition(":")[0]
    assert word != "bobobo"
    assert [line for line in lines if word in line] == [f"{word}: Do this? [y/N]"]
    assert all(line.startswith(("│      │ +", "│      ┊ ")) for line in lines if "bobobo" in line)


@pytest.mark.req("AV-06")
def test_a_terminal_whose_keys_a_program_reads_is_not_asked(person: Path, reply: Reply, sit: Sit):
    code = "import sys, termios, tty, subprocess; tty.setraw(0); sys.exit(subprocess.call(sys.argv[1:]))"
    argv = [sys.executable, "-c", code, sys.executable, "-m", "sayso", "run", reply(MOVE), "--dialect", "lines"]

    screen = sit(argv=argv)

    assert screen.end() == 3
    assert "[y/N]" not in screen.text
    assert "1 action waits for you" in screen.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("AV-06")
def test_a_process_in_the_background_does_not_ask(person: Path, reply: Reply, sit: Sit):
    code = "import os, sys, subprocess; sys.exit(subprocess.call(sys.argv[1:], process_group=0))"
    argv = [sys.executable, "-c", code, sys.executable, "-m", "sayso", "run", reply(MOVE), "--dialect", "lines"]

    screen = sit(argv=argv)

    assert screen.end() == 3
    assert "in the background" in screen.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("S1-16", "AV-06")
def test_a_terminal_that_turns_raw_during_the_question_gives_no_yes(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("[y/N]")

    tty.setraw(screen.terminal, termios.TCSANOW)
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_the_text_may_come_on_standard_input_while_the_question_is_on_the_terminal(
    person: Path, sit: Sit, reply: Reply
):
    code = "import sys, subprocess; sys.exit(subprocess.call(sys.argv[2:], stdin=open(sys.argv[1])))"
    argv = [sys.executable, "-c", code, reply(MOVE), sys.executable, "-m", "sayso", "run", "-", "--dialect", "lines"]
    screen = sit(argv=argv)
    screen.see("[y/N]")

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/b.txt": "first\n"}


def test_the_answer_is_journaled_as_the_terminals(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE), "--dialect", "lines")
    screen.see("[y/N]")
    screen.type("y\n")
    screen.end()

    (row,) = sayso("log", "--json").document["rows"]

    assert row["approved_by"] == "terminal"


@pytest.mark.req("X-10", "CR-07")
@pytest.mark.parametrize("keys", ["", "2\n"])
def test_a_request_to_end_during_a_question_is_no_decision_and_what_was_asked_waits(
    person: Path, reply: Reply, sit: Sit, keys: str
):
    screen = sit(argv=at_terminal("run", reply(MOVE + 'CREATE_FOLDER "~/Documents/New"\n'), "--dialect", "lines"))
    screen.see("Execute both? [y/N]")
    screen.type(keys)
    if keys:
        screen.see("Execute 1 of 2?")

    os.kill(screen.program.pid, signal.SIGTERM)

    assert screen.end() == 3
    assert "you said no" not in screen.text
    assert "nothing is done" not in screen.text
    assert "2 actions wait for you (nobody answered)" in screen.text
    assert states({"results": sayso("pending", "--json").document["rows"]}) == ["waiting", "waiting"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("X-10")
def test_after_a_request_to_end_nothing_more_is_asked_and_all_of_it_waits(person: Path, reply: Reply, sit: Sit):
    calls = [{"name": "file_delete", "arguments": {"path": f"~/Downloads/{name}.txt"}} for name in ("a", "b")]
    (person / "Downloads" / "b.txt").write_text("second\n")
    screen = sit(argv=at_terminal("run", reply(json.dumps(calls)), "--dialect", "tools"))
    screen.see("Execute both? [y/N]")

    os.kill(screen.program.pid, signal.SIGTERM)

    assert screen.end() == 3
    assert screen.text.count("[y/N]") == 1
    rows = sayso("pending", "--json").document["rows"]
    assert [(row["state"], row["approved_by"]) for row in rows] == [("waiting", None)] * 2
    sat = sit("approve", rows[0]["run"])
    sat.see("Execute both? [y/N]")
    sat.type("y\n")
    assert sat.end() == 0
    assert tree(person / "Downloads") == {}


@pytest.mark.req("X-10")
def test_a_request_to_end_while_a_long_list_is_paged_is_no_decision_either(person: Path, reply: Reply, sit: Sit):
    text = "".join(f'WRITE_FILE "~/Documents/{number}.txt" "{number}"\n' for number in range(9))
    screen = sit(argv=at_terminal("run", reply(text + MOVE), "--dialect", "lines"), lines=16)
    screen.see("Enter shows them, q stops here")

    os.kill(screen.program.pid, signal.SIGTERM)

    assert screen.end() == 3
    assert states({"results": sayso("pending", "--json").document["rows"]}) == ["waiting"] * 10


@pytest.mark.parametrize("term", ["", "dumb"])
def test_a_terminal_that_takes_plain_text_alone_gets_no_codes(person: Path, reply: Reply, term: str):
    screen = Screen(at_terminal("run", reply(MOVE), "--dialect", "lines"), TERM=term)
    try:
        screen.see("[y/N]")
        screen.type("y\n")

        assert screen.end() == 0
        assert b"\x1b" not in screen.raw
    finally:
        screen.close()


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=16, max_size=40))
def test_the_word_can_be_said(token: str):
    word = word_from(token)

    assert len(word) == 6
    assert word.isascii()
    assert word.isalpha()
    assert json.dumps(word) == f'"{word}"'


@pytest.mark.req("T-57", "S2-12")
@pytest.mark.parametrize(("label", "calls"), [(', "label": "Clear up"', True), ("", False), (', "label": ""', False)])
def test_only_a_label_of_the_models_is_told_as_its_words(
    person: Path, reply: Reply, sit: Sit, label: str, *, calls: bool
):
    assert sayso("task", "add", "P").code == 0
    text = f'```json-action\n{{"type": "delete_task", "taskText": "P"{label}}}\n```\n'

    shown = sit("run", reply(text), "--dialect", "blocks").see("Delete “P”", "Do this? [y/N]")

    assert ("the model calls it" in shown) is calls
    assert ("the model calls it “Clear up”" in shown) is calls


@pytest.mark.req("S1-17", "S1-18", "S1-19")
def test_a_mail_is_asked_about_with_recipient_and_subject_in_every_mode(person: Path, reply: Reply, sit: Sit):
    folder = person.parent / "sayso"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text('[policy]\nmode = "never"\n[mail]\nkind = "memory"\n')
    screen = sit("run", reply('MAIL_SEND "ana@example.org" "Lunch" "At noon?"\n'), "--dialect", "lines")

    shown = screen.see("[y/N]")

    assert "ana@example.org" in shown
    assert "Lunch" in shown
    assert "At noon?" in shown
    screen.type("n\n")
    assert screen.end() == 3
    assert "declined: you said no" in screen.text


@pytest.mark.req("S2-49", "T-35")
@pytest.mark.parametrize("second", ["y", "n"])
def test_a_person_who_wants_it_is_asked_twice_before_something_is_deleted(
    person: Path, reply: Reply, settings: Settings, sit: Sit, second: str
):
    settings('[policy]\nroots = ["~/Downloads"]\nconfirm_destructive_clicks = true\n')
    screen = sit("run", reply('DELETE_FILE "~/Downloads/a.txt"\n'), "--dialect", "lines")
    screen.see("[y/N]")
    screen.type("y\n")
    screen.see("Really take this away? [y/N]")

    screen.type(f"{second}\n")

    assert screen.end() == (0 if second == "y" else 3)
    assert ("Downloads/a.txt" in tree(person)) == (second == "n")


@pytest.mark.parametrize(("first", "second"), [("y", "y"), ("y", "n"), ("n", "y")])
def test_of_two_terminals_only_the_one_whose_answer_counted_reports_it(
    person: Path, reply: Reply, sit: Sit, first: str, second: str
):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--json").document["run"]
    screens = [sit("approve", run) for _ in range(2)]
    for screen in screens:
        screen.see("Do this? [y/N]")

    screens[0].type(f"{first}\n")
    won = screens[0].end()
    screens[1].type(f"{second}\n")
    lost = screens[1].end()

    assert (won, lost) == (0 if first == "y" else 3, 3)
    assert ("done: Moved file" in screens[0].text) is (first == "y")
    assert "decided elsewhere" not in screens[0].text
    assert f"decided elsewhere: a {'yes' if first == 'y' else 'no'} (terminal)" in " ".join(screens[1].text.split())
    assert "done: Moved file" not in screens[1].text
    assert "takes it back" not in screens[1].text.partition("decided elsewhere")[2]
    assert tree(person) == ({"Documents/b.txt": "first\n"} if first == "y" else {"Downloads/a.txt": "first\n"})

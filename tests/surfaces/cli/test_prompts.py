"""The flag answers what only the mode asks about; everything else needs the person."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.decision import Card, Question, Verdict, run_digest
from sayso.core.plan import Change, Plan, Step
from sayso.surfaces.cli.prompts import ActionDialog, BatchDialog, BatchKey, DialogAnswer, TerminalApprover
from sayso.surfaces.cli.text import Style, columns
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states, tree
from tests.surfaces.cli.test_terminal import Typed, a_talk

MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
DELETE = 'DELETE_FILE "~/Downloads/a.txt"\n'
Reply = Callable[[str], str]
Settings = Callable[[str], None]
OPEN = 'OPEN_APP "Calculator"\n'
CHOICES = "[y]es once / [a]lways / [N]o"
APPS = """
# Those I trust.
[policy]
allowed_apps = [
    "Mail",  # letters
]
[apps]
kind = "memory"
[apps.world]
installed = ["Calculator", "Mail", "Terminal"]
"""


def test_the_flag_answers_a_mode_question(person: Path, reply: Reply):
    run = sayso("run", reply(MOVE), "--dialect", "lines", "--yes", "--json")

    assert run.code == 0
    assert run.document["results"][0]["approved_by"] == "flag"
    assert tree(person) == {"Documents/b.txt": "first\n"}


@pytest.mark.req("S0-80", "X-09")
def test_the_flag_does_not_answer_a_floor_question(person: Path, reply: Reply):
    run = sayso("run", reply(DELETE), "--dialect", "lines", "--yes", "--json")

    assert run.code == 3
    assert states(run.document) == ["waiting"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_a_floor_question_in_a_batch_keeps_all_of_it_waiting(person: Path, reply: Reply):
    text = 'CREATE_FOLDER "~/Documents/x"\n' + DELETE

    run = sayso("run", reply(text), "--dialect", "lines", "--yes", "--json")

    assert states(run.document) == ["waiting", "waiting"]
    assert not (person / "Documents" / "x").exists()


def allowed() -> list[str]:
    return sayso("config", "get", "policy.allowed_apps", "--json").document["value"]


@pytest.mark.req("T-31", "S0-78")
def test_always_lists_the_application_and_it_is_never_asked_about_again(
    person: Path, reply: Reply, settings: Settings, sit: Sit
):
    settings(APPS)
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type("a\n")

    assert screen.end() == 0
    assert "“Calculator” added to policy.allowed_apps" in screen.text
    assert allowed() == ["Mail", "Calculator"]
    assert "# letters" in (person.parent / "sayso" / "config.toml").read_text()
    again = sayso("run", "--dialect", "lines", "--json", text=OPEN + 'QUIT_APP "calculator"\n')
    assert states(again.document) == ["done", "done"]
    assert sayso("log", "--json").document["rows"][2]["approved_by"] == "terminal"


@pytest.mark.req("T-31")
@pytest.mark.parametrize("answer", ["y", "n", "", "al"])
def test_once_and_no_list_nothing(person: Path, reply: Reply, settings: Settings, sit: Sit, answer: str):
    settings(APPS)
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type(answer + "\n")

    assert screen.end() == (0 if answer == "y" else 3)
    assert allowed() == ["Mail"]


@pytest.mark.req("T-31")
def test_always_may_be_said_to_what_has_waited_too(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings(APPS)
    waiting = sayso("run", reply(OPEN + 'OPEN_APP "Terminal"\n'), "--dialect", "lines", "--json").document["run"]
    screen = sit("approve", waiting)
    screen.see(CHOICES)

    screen.type("always\n")

    assert screen.end() == 0
    assert allowed() == ["Mail", "Calculator", "Terminal"]


@pytest.mark.req("T-31")
def test_where_something_else_asks_too_there_is_no_always(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings(APPS)
    screen = sit("run", reply(OPEN + MOVE), "--dialect", "lines")
    screen.see("Execute both? [y/N]")

    screen.type("a\n")
    screen.see("“a” is no choice here")
    screen.type("\n")

    assert screen.end() == 3
    assert allowed() == ["Mail"]
    assert tree(person) == {"Downloads/a.txt": "first\n"}


@pytest.mark.req("T-31")
def test_the_shipped_list_stays_when_one_is_added_to_it(person: Path, reply: Reply, settings: Settings, sit: Sit):
    settings('[apps]\nkind = "memory"\n')
    shipped = allowed()
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)

    screen.type("a\n")

    assert screen.end() == 0
    assert allowed() == [*shipped, "Calculator"]


def test_settings_that_cannot_be_added_to_are_left_as_they_are(
    person: Path, reply: Reply, settings: Settings, sit: Sit
):
    settings(APPS)
    config = person.parent / "sayso" / "config.toml"
    screen = sit("run", reply(OPEN), "--dialect", "lines")
    screen.see(CHOICES)
    config.write_text("[policy\n")

    screen.type("a\n")

    assert screen.end() == 3
    assert "could not be added" in screen.text
    assert config.read_text() == "[policy\n"


def asked(rule: str = "mode", preview: str = "") -> Question:
    plan = Plan("Open Calculator", (Change(Step(), Step()),), preview=preview)
    card = Card("do_1", 0, "app.open", {}, plan, Verdict("ask", "it asks", rule, "mode"), "sha256:1")
    return Question("run_1", (card,), run_digest(["sha256:1"]), "lines")


def asked_twice() -> Question:
    question = asked()
    card = replace(question.cards[0], plan=Plan("Delete “Trip”", (), loses=("the task “Trip” and 3 tasks below it",)))
    return replace(question, cards=(card,), twice=frozenset({"do_1"}))


def answered(question: Question, *lines: str | None) -> tuple[BatchKey, str]:
    talk, terminal = a_talk(*lines, height=0)
    answer = ActionDialog(question, talk, None).answer(edit_first=False)
    return answer.how, "".join(terminal.written)


@pytest.mark.parametrize("line", ["y", "yes", "Y\n"])
def test_a_yes_is_a_yes(line: str):
    assert answered(asked(), line)[0] is BatchKey.EXECUTE


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("line", ["", "n", "yy", "e", "3", "all", "l", "a", None])
def test_anything_that_is_not_offered_is_a_no(line: str | None):
    how, said = answered(asked(), line)

    assert how is BatchKey.CANCEL
    assert said.endswith("\nyou said no\n")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["no, because it belongs in Archive"], "it belongs in Archive"),
        (["n wrong folder"], "wrong folder"),
        (["No: Not on a Sunday"], "Not on a Sunday"),
        (["no because", "  it is Ana's "], "it is Ana's"),
        (["no because", ""], ""),
        (["n"], ""),
        (["nope"], ""),
    ],
)
def test_a_no_may_say_why(lines: list[str], reason: str):
    talk, terminal = a_talk(*lines, height=0)

    answer = ActionDialog(asked(), talk, None).answer(edit_first=False)

    assert (answer.how, answer.because) == (BatchKey.CANCEL, reason)
    assert ("your reason goes to whoever proposed it" in " ".join("".join(terminal.written).split())) is bool(reason)


def test_a_batch_may_be_declined_with_a_reason_too(person: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(MOVE + 'CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines")
    screen.see("Execute both?")

    screen.type("no because they are\x0b not mine\n")

    assert screen.end() == 3
    assert screen.text.count("you said no: “they are not mine”") == 1
    assert screen.text.count("declined: ") == 2
    rows = sayso("log", "--json").document["rows"]
    assert {(row["error"], row["code"]) for row in rows} == {("you said no: “they are not mine”", "declined.because")}
    assert "you said no: “they are not mine”" in sayso("log").out
    assert "you said no: “they are not mine”" in sayso("show", rows[0]["id"]).out


def test_a_question_mark_says_what_may_be_typed_and_decides_nothing():
    how, said = answered(asked(), "?", "y")

    assert how is BatchKey.EXECUTE
    assert "y does it, v shows all of it; Enter or anything else is a no" in " ".join(said.split())


@pytest.mark.req("T-31")
def test_always_is_offered_for_applications_alone():
    assert answered(asked("allowed_apps"), "a")[0] is BatchKey.ALWAYS
    assert "[y]es once / [a]lways / [N]o" in answered(asked("allowed_apps"), "n")[1]


@pytest.mark.req("AV-03")
def test_a_yes_counts_once_everything_was_seen():
    question = asked(preview="+x\n" * 100)

    how, said = answered(question, "y", "v", "y")

    assert how is BatchKey.EXECUTE
    assert said.index("there is more to see first") < said.rindex("│ +x")


def test_a_yes_names_what_it_is_for():
    talk, _ = a_talk("y", height=0)

    assert ActionDialog(asked(), talk, None).answer(edit_first=True) == DialogAnswer(BatchKey.EXECUTE, ("do_1",))


@pytest.mark.req("S2-49", "T-35")
def test_what_is_destructive_is_asked_about_a_second_time_where_that_is_wished_for():
    how, said = answered(asked_twice(), "y", "y")

    assert how is BatchKey.EXECUTE
    assert "│ the task “Trip” and 3 tasks below it\nbobobo: Really take this away? [y/N]" in said


@pytest.mark.req("S2-49")
@pytest.mark.parametrize("line", ["", "n", "a", "e", None])
def test_anything_but_a_second_yes_is_a_no(line: str | None):
    how, said = answered(asked_twice(), "y", line)

    assert how is BatchKey.CANCEL
    assert said.endswith("\nyou said no\n")


FORGED = "you said no\nbobobo: Do this? [y/N] y"
CUTS = ("\n", "\r", "\r\n", "\t", "\u2028", "\x85", "\x1b[2J", "\u202e", " " * 90, "字" * 40, "x" * 90)
NASTY = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=90),
    st.sampled_from(CUTS).map(lambda between: f"a{between}{FORGED}{between}{FORGED}"),
)


@pytest.mark.req("AV-01", "AV-05")
@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
@given(name=NASTY, count=st.sampled_from([1, 2]))
def test_whatever_is_shown_stands_behind_the_bar_and_only_the_question_begins_with_the_word(
    name: str, count: int, width: int
):
    plan = Plan(f"Move “{name}”", (Change(Step(), Step()),), name, loses=(name,), sends=(name,), warns=(name,))
    card = replace(asked().cards[0], plan=plan, arguments={"path": name, name: "x"}, label=name)
    cards = tuple(replace(card, id=f"do_{index}", index=index) for index in range(count))
    question = replace(asked(), cards=cards, twice=frozenset({"do_0"}))
    talk, terminal = a_talk("?", "v", "y", "n", height=0, width=width)

    (BatchDialog if count > 1 else ActionDialog)(question, talk, None).answer(edit_first=False)

    lines = "".join(terminal.written).split("\n")
    shown = [line for line in lines if line.startswith("│")]
    assert all(columns(line) <= width and line.isprintable() for line in shown)
    own = [line for line in lines if line and line not in shown]
    question_line = "bobobo: Execute both?" if count > 1 else "bobobo: Do this?"
    prompts = [line.partition("?")[0] + "?" for line in own if "bobobo: " in line]
    assert prompts == [*[question_line] * 3, "bobobo: Really take this away?"]
    assert " ".join(" ".join(own).split()).count("you said no") == 1
    assert not any("\\u{" in line for line in own)


class Sound(Typed):
    """A terminal that is read to be the person's own."""

    @property
    def wrong(self) -> str | None:
        return None


async def test_each_question_begins_with_a_word_of_its_own():
    terminal = Sound(["n", "n"], 40)
    words = iter(("first", "second"))
    approver = TerminalApprover(terminal, lambda: next(words), Style(), lambda: 0, lambda: False)

    for _ in range(2):
        await approver.ask(asked())

    prompts = [line.partition(":")[0] for line in "".join(terminal.written).split("\n") if ": Do this?" in line]
    assert prompts == ["first", "second"]


THREE = 'CREATE_FOLDER "~/Documents/New"\n' + "".join(
    f'MOVE_FILE "~/Downloads/{name}.txt" "~/Documents/New/{name}.txt"\n' for name in "ab"
)
EXECUTE = "Execute all 3? [y/N]"


@pytest.fixture
def two(person: Path) -> Path:
    """Return a person's home with two files to be moved."""
    (person / "Downloads" / "b.txt").write_text("second\n")
    return person


BEFORE = {"Downloads/a.txt": "first\n", "Downloads/b.txt": "second\n"}


@pytest.mark.req("S0-91", "S0-92", "S0-94")
def test_execute_does_all_that_is_shown(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", columns=80)

    shown = screen.see("Suggested Actions", "y yes · Enter no to all · “no, because …”", EXECUTE)

    assert "[x]  1. Create folder “~/Documents/New”" in shown
    screen.type("y\n")
    assert screen.end() == 0
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Documents/New/b.txt": "second\n"}


@pytest.mark.req("S0-94", "AV-06")
@pytest.mark.parametrize("answer", ["\n", "n\n", "no\n", "cancel\n", "\x04", "\x03"])
def test_cancel_is_what_enter_does_and_it_is_written_down(two: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type(answer)

    assert screen.end() == 3
    assert tree(two) == BEFORE
    assert {row["state"] for row in sayso("log", "--json").document["rows"]} == {"declined"}


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("early", ["y\n", "y\ny\ny\n", "\n\n\n", "2\ny\n"])
def test_what_was_typed_before_the_list_stood_there_is_no_answer(two: Path, reply: Reply, sit: Sit, early: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.type_ahead(early)

    screen.see(EXECUTE)

    screen.type("\n")
    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.parametrize("answer", ["yy\n", "y y\n", "да\n", "9\n", "\uff59\n"])
def test_what_is_no_choice_is_asked_again_and_does_nothing(two: Path, reply: Reply, sit: Sit, answer: str):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type(answer)

    screen.see("? tells what there is, Enter cancels")
    screen.type("\n")
    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.req("S0-94", "X-10")
def test_what_is_left_out_is_not_done_and_is_written_down_as_declined(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type("3\n")
    screen.see("[ ]  3. Move", "3 left out", "Execute 2 of 3? [y/N]")
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Downloads/b.txt": "second\n"}
    left_out, moved, made = sayso("log", "--json").document["rows"]
    assert [row["state"] for row in (made, moved, left_out)] == ["done", "done", "declined"]
    assert (left_out["error"], left_out["code"]) == ("you left this out", "step.left_out")
    assert left_out["approved_by"] == moved["approved_by"] == "terminal"


def test_what_needs_something_left_out_is_left_out_with_it_and_comes_back_with_it(two: Path, reply: Reply, sit: Sit):
    (two / "Documents" / "c.txt").write_text("third\n")
    text = THREE + 'MOVE_FILE "~/Documents/c.txt" "~/Documents/d.txt"\n'
    screen = sit("run", reply(text), "--dialect", "lines")
    screen.see("Execute all 4? [y/N]")

    screen.type("1\n")
    screen.see("[-]  2. Move", "without 1, 2, 3 cannot happen", "Execute 1 of 4? [y/N]")
    screen.type("3\n")
    screen.see("1, 2", "taken in again", "Execute all 4? [y/N]")
    screen.type("1\n")
    screen.see("Execute 1 of 4? [y/N]")
    screen.until(lambda shown: shown.count("Execute 1 of 4?") == 2)
    screen.type("y\n")

    assert screen.end() == 1, screen.text
    assert tree(two) == BEFORE | {"Documents/d.txt": "third\n"}
    rows = sayso("log", "--json").document["rows"]
    assert states({"results": rows[::-1]}) == ["declined", "skipped", "skipped", "done"]
    assert rows[1]["error"] == "skipped because it needs step 1, which you left out"


def test_nothing_is_executed_when_nothing_is_left(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)

    screen.type("none\n")
    screen.see("Nothing is left to execute; Enter cancels [N]")
    screen.type("y\n")
    screen.see("all takes everything in again")
    screen.type("all\n")
    screen.until(lambda shown: shown.count(EXECUTE) == 2)
    screen.type("\n")

    assert screen.end() == 3
    assert tree(two) == BEFORE


@pytest.mark.req("S0-93", "T-37", "AV-03")
def test_a_large_group_is_opened_before_a_yes_to_it_counts(person: Path, reply: Reply, sit: Sit):
    names = [f"n{number:02}.txt" for number in range(25)]
    for name in names:
        (person / "Downloads" / name).write_text(name)
    text = "".join(f'MOVE_FILE "~/Downloads/{name}" "~/Documents/{name}"\n' for name in names)
    screen = sit("run", reply(text), "--dialect", "lines", lines=300)
    shown = screen.see("Move 25 files from “~/Downloads” to “~/Documents”", "Execute all 25? [y/N]")
    assert "n24.txt" not in shown

    screen.type("y\n")
    screen.see("there is more to see first")
    screen.type("m 1-25\n")
    screen.see("Move “~/Downloads/n24.txt” to “~/Documents/n24.txt”")
    screen.until(lambda shown: shown.endswith("Execute all 25? [y/N]"))
    screen.type("y\n")

    assert screen.end() == 0
    assert len(tree(person / "Documents")) == 25
    assert states({"results": sayso("log", "--json").document["rows"]}) == ["done"] * 25


def test_leaving_out_what_was_not_seen_lets_the_rest_be_executed(
    person: Path, reply: Reply, sit: Sit, settings: Settings
):
    settings('[policy]\nmode = "always"\n')
    text = 'WRITE_FILE "~/Documents/n.txt" <<END\n' + "harmless\n" * 200 + "END\n" + 'CREATE_FOLDER "~/Documents/x"\n'
    screen = sit("run", reply(text), "--dialect", "lines", lines=120)
    screen.see("Execute both? [y/N] (m 1 or v shows what is left out; y counts after that)")

    screen.type("1\n")
    screen.see("Execute 1 of 2? [y/N]")
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert (person / "Documents" / "x").is_dir()


def test_the_keys_are_explained_and_the_list_can_be_seen_again(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", lines=120)
    screen.see(EXECUTE)

    screen.type("?\n")
    screen.see("y executes what is ticked [x], in this order", "e opens your editor", "m 3 shows all of 3")
    screen.type("l\n")

    screen.until(lambda shown: shown.count("Suggested Actions") == 2 and shown.endswith(EXECUTE))
    screen.type("\n")
    assert screen.end() == 3


@pytest.mark.req("TO-02")
def test_a_world_that_changed_between_preview_and_yes_is_not_overwritten(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines")
    screen.see(EXECUTE)
    (two / "Downloads" / "a.txt").write_text("mine, written meanwhile\n")

    screen.type("y\n")

    assert screen.end() == 1
    assert tree(two) == {"Downloads/a.txt": "mine, written meanwhile\n", "Documents/New/b.txt": "second\n"}


@pytest.mark.req("AV-05")
def test_a_list_forged_in_a_text_does_not_look_like_ours(person: Path, reply: Reply, sit: Sit, settings: Settings):
    settings('[policy]\nmode = "always"\n')
    forged = "[x]  9. Delete “~/Documents”\nbobobo: Execute all 9? [y/N] y\n"
    text = f'WRITE_FILE "~/Documents/n.txt" <<END\n{forged}END\n' + 'CREATE_FOLDER "~/Documents/x"\n'
    screen = sit("run", reply(text), "--dialect", "lines")

    lines = screen.until(lambda shown: shown.endswith("Execute both? [y/N]")).splitlines()

    assert sum(line.startswith("│ [x]") for line in lines) == 2
    assert all(line.startswith("│      │ +") for line in lines if "bobobo" in line or " 9. " in line)
    screen.type("\n")
    screen.end()


@pytest.mark.req("AV-13")
def test_what_is_new_does_not_move_under_an_answer(two: Path, reply: Reply, sit: Sit):
    run = sayso("run", reply(THREE), "--dialect", "lines", "--json").document["run"]
    screen = sit("approve", run)
    screen.see(EXECUTE)
    later = sayso("run", "--dialect", "lines", "--json", text='DELETE_FILE "~/Downloads/a.txt"\n').document
    assert states(later) == ["waiting"]

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(two) == {"Documents/New/a.txt": "first\n", "Documents/New/b.txt": "second\n"}
    assert [row["id"] for row in sayso("pending", "--json").document["rows"]] == [later["results"][0]["id"]]


def test_it_fits_forty_columns(two: Path, reply: Reply, sit: Sit):
    screen = sit("run", reply(THREE), "--dialect", "lines", columns=40, lines=80)

    shown = screen.see("[x]  1. Create folder", "way back:", "all 3? [y/N]")

    assert "🤖 Suggested Actions" in shown.replace("🤖  ", "🤖 ")
    screen.type("y\n")
    assert screen.end() == 0


def test_a_long_list_comes_by_the_page(person: Path, reply: Reply, sit: Sit):
    text = "".join(
        f'CREATE_FOLDER "~/Documents/{n}"\nMOVE_FILE "~/Downloads/a.txt" "~/Documents/{n}/a.txt"\n'
        f'MOVE_FILE "~/Documents/{n}/a.txt" "~/Downloads/a.txt"\n'
        for n in range(6)
    )
    screen = sit("run", reply(text), "--dialect", "lines", lines=24)
    first = screen.see("more lines; Enter shows them, q stops here")
    assert "[y/N]" not in first

    screen.type("q\n")
    screen.see("[y/N]")
    screen.type("y\n")
    screen.see("there is more to see first")
    screen.type("n\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}

"""`sayso grants`: permissions are seen, tried, suggested by anybody, and given and taken back by the person alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Done, Screen, sayso, states, tree

Reply = Callable[[str], str]
MOVE = 'MOVE_FILE "~/Downloads/{0}.txt" "~/Documents/{0}.txt"\n'


@pytest.fixture
def move(person: Path, reply: Reply, sit: Sit) -> Callable[[str], Screen]:
    """Return what moves a file with the person's yes."""

    def moved(name: str) -> Screen:
        (person / "Downloads" / f"{name}.txt").write_text("first\n")
        screen = sit("run", reply(MOVE.format(name)), "--dialect", "lines")
        screen.see("[y/N]")
        screen.type("y\n")
        assert screen.end() == 0
        return screen

    return moved


def last() -> str:
    return sayso("log", "--json", "--limit", "1").document["rows"][0]["id"]


@pytest.fixture
def done(move: Callable[[str], Screen]) -> str:
    """Return the id of a move that the person said yes to."""
    move("a")
    return last()


@pytest.fixture
def permitted(done: str, sit: Sit) -> str:
    """Return the id of a permission given on the terminal: moves like that one, twice at most."""
    screen = sit("grants", "add", done, "--vary", "source", "--vary", "destination", "--uses", "2")
    screen.see("Permit this from now on? [y/N]")
    screen.type("y\n")
    assert screen.end() == 0
    return sayso("grants", "--json").document["grants"][0]["id"]


def run(reply: Reply, name: str, person: Path, *words: str) -> Done:
    (person / "Downloads" / f"{name}.txt").write_text("again\n")
    return sayso("run", reply(MOVE.format(name)), "--dialect", "lines", "--json", *words)


def test_there_are_none(person: Path):
    assert sayso("grants", "--json").document == {"grants": []}
    assert "no standing permissions" in sayso("grants").out
    assert sayso("grants", "suggest", "--json").document == {"suggestions": []}
    assert "Nothing to suggest" in sayso("grants", "suggest").out


@pytest.mark.req("SE-01")
def test_a_program_gives_none(done: str):
    for words in ((), ("--json",), ("--vary", "source")):
        assert sayso("grants", "add", done, *words).code == 3

    assert sayso("grants", "--json", "--all").document == {"grants": []}


def test_all_of_it_is_shown_before_a_yes_counts(person: Path, done: str, sit: Sit):
    screen = sit("grants", "add", done, "--vary", "source", "--for", "7d", "--uses", "1")

    shown = " ".join(screen.see("Permit this from now on? [y/N]").replace("│", "").split())
    screen.type("y\n")

    assert screen.end() == 0
    for words in (
        f"file.move without a question, like {done}: Move “~/Downloads/a.txt” to “~/Documents/a.txt”",
        "fixed destination: “~/Documents/a.txt”",
        "varies source: any name ending in “.txt” directly in “~/Downloads”",
        "as then the same operation in this home, files by local",
        "as then what is there is a file, as it was then",
        "as then nothing may be replaced by it",
        "once at most",
        "wider --vary destination would allow any name ending in “.txt” directly in “~/Documents”",
        "history of 1 action asked about so far, 1 would have been allowed, and 0 would still be asked about",
    ):
        assert words in shown
    assert "takes it back" in screen.text
    (grant,) = sayso("grants", "--json").document["grants"]
    assert (grant["given_by"], grant["entry"], grant["learnt_from"]) == ("terminal", "cli", done)
    assert (grant["most_uses"], grant["uses"], grant["ended"]) == (1, 0, None)


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("answer", ["\n", "n\n", "\x04", "yess\n", "always\n"])
def test_anything_but_a_yes_permits_nothing(done: str, sit: Sit, answer: str):
    screen = sit("grants", "add", done)
    screen.see("Permit this from now on? [y/N]")
    screen.type(answer)

    assert screen.end() == 3
    assert "no; nothing is permitted" in screen.text
    assert sayso("grants", "--json", "--all").document == {"grants": []}


def test_what_is_permitted_is_done_unasked_as_often_as_was_said(person: Path, permitted: str, reply: Reply):
    first, second, third = (run(reply, name, person) for name in "bcd")

    assert [states(one.document) for one in (first, second, third)] == [["done"], ["done"], ["waiting"]]
    assert first.document["results"][0]["approved_by"] == f"grant:{permitted}"
    assert "b.txt" in str(tree(person / "Documents"))
    assert sayso("grants", "--json").document == {"grants": []}
    (ended,) = sayso("grants", "--json", "--all").document["grants"]
    assert (ended["ended"], ended["uses"]) == ("used up", 2)
    assert sayso("log", "verify").code == 0


@pytest.mark.req("AV-11")
def test_another_folder_another_ending_a_folder_and_another_operation_are_asked(
    person: Path, permitted: str, reply: Reply
):
    (person / "Downloads" / "deep").mkdir()
    (person / "Downloads" / "deep" / "b.txt").write_text("x")
    (person / "Downloads" / "b.sh").write_text("x")
    (person / "Downloads" / "d.txt").mkdir()
    for text in (
        "MOVE_FILE ~/Downloads/deep/b.txt ~/Documents/b.txt",
        "MOVE_FILE ~/Downloads/b.sh ~/Documents/b.sh",
        "MOVE_FILE ~/Downloads/b.sh ~/Documents/b.txt",
        "MOVE_FILE ~/Downloads/d.txt ~/Documents/d.txt",
        "DELETE_FILE ~/Documents/a.txt",
    ):
        assert states(sayso("run", reply(text), "--dialect", "lines", "--json").document) == ["waiting"]


def test_it_is_listed_and_shown_in_words(permitted: str):
    listed = " ".join(sayso("grants").out.split())
    shown = " ".join(sayso("grants", "show", permitted).out.split())

    assert f"{permitted} file.move without asking where source is any name ending in “.txt”" in listed
    assert "used 0 of 2 times" in listed
    assert "varies source: any name ending in “.txt” directly in “~/Downloads”" in shown
    assert "by terminal (cli)" in shown
    assert sayso("grants", "show", permitted, "--json").document["grants"][0]["id"] == permitted


def test_what_could_be_permitted_is_shown_to_anybody_and_gives_nothing(done: str):
    offer = sayso("grants", "show", done, "--vary", "source", "--json").document

    assert offer["offer"]["varies"][0]["argument"] == "source"
    assert [one["argument"] for one in offer["could_vary"]] == ["destination"]
    assert "“sayso grants add” with the same words asks you" in sayso("grants", "show", done).out
    assert sayso("grants", "--json", "--all").document == {"grants": []}


def test_it_is_tried_on_the_history_before_and_after(person: Path, move: Callable[[str], Screen], sit: Sit):
    move("a")
    first = last()
    move("b")

    narrow = sayso("grants", "try", first, "--json").document
    wide = sayso("grants", "try", first, "--vary", "source", "--vary", "destination", "--json").document
    told = " ".join(sayso("grants", "try", first).out.split())

    assert (len(narrow["allowed"]), len(narrow["asked"])) == (1, 1)
    assert narrow["asked"][0]["because"] == "“source” is not as it was"
    assert (len(wide["allowed"]), len(wide["asked"])) == (2, 0)
    assert "of 2 actions asked about so far, 1 would have been allowed, and 1 would still be asked about" in told
    assert "because “source” is not as it was" in told


def test_after_the_same_yes_three_times_one_line_says_so_and_the_suggestion_is_narrow(
    move: Callable[[str], Screen],
):
    hints = ["you have said yes to this" in move(name).text for name in "abcd"]

    (found,) = sayso("grants", "suggest", "--json").document["suggestions"]
    told = sayso("grants", "suggest").out
    assert hints == [False, False, True, False]
    assert found["add"] == ["sayso", "grants", "add", last(), "--vary", "source", "--vary", "destination"]
    assert (len(found["said_yes"]), len(found["allowed"])) == (4, 4)
    assert " ".join(found["add"]) in told
    assert sayso("grants", "--json", "--all").document == {"grants": []}


@pytest.mark.req("SE-01")
def test_a_program_takes_none_back(permitted: str):
    assert sayso("grants", "revoke", permitted).code == 3
    assert sayso("grants", "revoke", "--all", "--json").code == 3

    assert len(sayso("grants", "--json").document["grants"]) == 1


@pytest.mark.parametrize("which", ["one", "all"])
def test_the_person_does(permitted: str, sit: Sit, which: str):
    assert sit("grants", "revoke", permitted if which == "one" else "--all").end() == 0

    assert sayso("grants", "--json").document == {"grants": []}
    (ended,) = sayso("grants", "--json", "--all").document["grants"]
    assert (ended["ended"], ended["revoked_by"]) == ("revoked", "terminal")
    assert sit("grants", "revoke", permitted).end() == 1


def test_with_none_there_is_nothing_to_take_back(person: Path, sit: Sit):
    screen = sit("grants", "revoke", "--all")

    assert screen.end() == 0
    assert "There are no standing permissions to take back." in screen.text


def test_an_id_that_nothing_has_is_told(person: Path, sit: Sit):
    assert sit("grants", "revoke", "grant_x").end() == 2
    assert sayso("grants", "show", "grant_x").code == 2
    assert sayso("grants", "try", "do_0D8M2YQ5Z3F4K").code == 2


def test_what_nothing_can_be_learnt_from_is_told_with_the_reason(person: Path, reply: Reply):
    (waiting,) = run(reply, "a", person).document["results"]
    yes = run(reply, "b", person, "--yes").document["results"][0]

    for ref, why in ((waiting["id"], "it is waiting"), (yes["id"], "a flag approved it, and nobody looked at it")):
        shown = sayso("grants", "show", ref, "--json")
        assert shown.code == 3
        assert shown.document["code"] == "grant.not_learnt"
        assert why in shown.document["error"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("grants revok", "did you mean “revoke”?"),
        ("grants revoke", "needs the id of the permission, or --all"),
        ("grants add", "needs the id of an action that was done"),
        ("grants show", "needs the id of a permission, or of an action"),
        ("grants suggest do_0D8M2YQ5Z3F4K", "does not take “do_0D8M2YQ5Z3F4K”"),
        ("grants list x", "does not take “x”"),
        ("grants --vary source", "--vary is for a permission that is not given yet"),
        ("grants show grant_x --uses 2", "--uses is for a permission that is not given yet"),
        ("grants show do_0D8M2YQ5Z3F4K --for never", "“never” is no length of time"),
        ("grants show do_0D8M2YQ5Z3F4K --uses 0", "“0” is not a whole number"),
        ("grants show nonsense", "is not the id of an action"),
    ],
)
def test_what_cannot_be_understood_is_told(person: Path, words: str, said: str):
    told = sayso(*words.split())

    assert told.code == 2
    assert said in " ".join(told.err.split())


def test_what_may_not_vary_and_what_holds_too_long_are_told(done: str):
    odd = sayso("grants", "show", done, "--vary", "path")
    long = sayso("grants", "show", done, "--for", "31d")

    assert (odd.code, long.code) == (2, 2)
    assert "file.move does not take “path”; it takes source, destination" in odd.err
    assert "at most 30 days" in long.err

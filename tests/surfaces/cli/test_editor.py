"""The person's editor is started without a shell, on a private file of which nothing stays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.surfaces.cli.editor import find_editor, private_file, read_back, write_private
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.editors import an_editor, given_to, where
from tests.surfaces.cli.person import Screen, sayso, states, tree


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("mine", "other", "nano"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("said", "argv"),
    [
        ({"VISUAL": "mine --wait", "EDITOR": "other"}, ("mine", "--wait")),
        ({"VISUAL": "  ", "EDITOR": "other -c 'set tw=0; rm -rf ~'"}, ("other", "-c", "set tw=0; rm -rf ~")),
        ({"EDITOR": 'mine "$HOME" `id`'}, ("mine", "$HOME", "`id`")),
    ],
)
def test_visual_comes_before_editor_and_no_shell_reads_either(
    programs: Path, said: dict[str, str], argv: tuple[str, ...]
):
    found = find_editor({"PATH": str(programs), **said})

    assert found.argv == (str(programs / argv[0]), *argv[1:])
    assert found.note == ""


def test_where_none_is_named_a_usual_one_is_opened_and_that_is_said(programs: Path):
    found = find_editor({"PATH": str(programs)})

    assert found.argv == (str(programs / "nano"),)
    assert found.note == "neither VISUAL nor EDITOR names an editor, so “nano” is opened"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "there is no editor to open: name one in EDITOR"),
        ({"EDITOR": "gone --wait"}, "EDITOR names “gone”, which is not there"),
        ({"VISUAL": "mine 'x"}, "VISUAL is “mine 'x”, in which a quote is not closed"),
        ({"EDITOR": "''"}, "EDITOR names “”, which is not there"),
    ],
)
def test_what_cannot_be_started_is_said_with_what_to_do(tmp_path: Path, said: dict[str, str], sentence: str):
    with pytest.raises(SetupError, match=sentence):
        find_editor({"PATH": str(tmp_path), **said})


@pytest.mark.req("AU-04")
def test_the_file_is_private_and_nothing_beside_it_stays(tmp_path: Path):
    with private_file(tmp_path / "tmp", "edit-1") as file:
        write_private(file, "a secret")
        (file.parent / ".actions.txt.swp").write_text("a secret")
        modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "tmp", file.parent, file)]

    assert modes == [0o700, 0o700, 0o600]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_it_is_gone_also_when_something_fails(tmp_path: Path):
    def fails() -> None:
        with private_file(tmp_path / "tmp", "edit-1") as file:
            write_private(file, "x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()

    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [(b"a\nb\xff\n", "line 2 is not UTF-8 text"), (b"x" * 101, "longer than 100 bytes")],
)
def test_what_is_no_text_that_can_be_taken_is_said(tmp_path: Path, data: bytes, sentence: str):
    (tmp_path / "file").write_bytes(data)

    with pytest.raises(SetupError, match=sentence):
        read_back(tmp_path / "file", 100)


def test_a_file_that_went_or_became_a_link_or_a_pipe_is_not_read(tmp_path: Path):
    (tmp_path / "secret").write_text("elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "folder").mkdir()

    for name in ("gone", "link", "folder"):
        with pytest.raises(SetupError):
            read_back(tmp_path / name, 100)


def test_what_a_killed_process_left_is_removed_at_the_next_edit_and_what_is_open_stays(tmp_path: Path):
    (tmp_path / "edit-dead").mkdir()
    (tmp_path / "edit-dead/actions.txt").write_text("left")
    (tmp_path / "other").mkdir()

    with private_file(tmp_path, "edit-one") as one:
        one.write_text("x")
        with private_file(tmp_path, "edit-two"):
            there = sorted(path.name for path in tmp_path.iterdir())

    assert there == ["edit-one", "edit-two", "other"]
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


Reply = Callable[[str], str]
BATCH = 'CREATE_FOLDER "~/Documents/New"\nMOVE_FILE "~/Downloads/a.txt" "~/Documents/New/a.txt"\n'
BEFORE = {"Downloads/a.txt": "first\n"}
ASKED = "Execute both? [y/N]"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return what makes EDITOR run some code, and returns the folder in which it keeps what it was given."""

    def set_editor(code: str) -> Path:
        folder = tmp_path / "an editor"
        monkeypatch.setenv("EDITOR", an_editor(folder, code))
        monkeypatch.delenv("VISUAL", raising=False)
        return folder

    return set_editor


@pytest.fixture
def asked(person: Path, reply: Reply, sit: Sit) -> Callable[[], Screen]:
    """Return what starts a run of the batch and waits for its question."""

    def start() -> Screen:
        screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
        screen.see(ASKED)
        return screen

    return start


SetEditor = Callable[[str], Path]
Asked = Callable[[], Screen]
RENAME = "path.write_text(text.replace('New', 'Other'))"


@pytest.mark.req("S0-94", "T-37", "AV-10")
def test_what_was_edited_is_shown_again_asked_about_and_then_done(
    person: Path, reply: Reply, sit: Sit, editor: SetEditor
):
    kept = editor(RENAME)
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")
    screen.see("as you edited them; nothing is approved", "Create folder “~/Documents/Other”")
    assert tree(person) == BEFORE
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/Other/a.txt": "first\n"}
    assert given_to(kept).endswith("\n\n" + BATCH)
    path, modes = where(kept)
    assert modes == "600 700"
    assert list(path.parent.parent.iterdir()) == []


@pytest.mark.req("S0-94", "AU-06")
def test_both_versions_and_the_difference_stand_in_the_journal(person: Path, reply: Reply, sit: Sit, editor: SetEditor):
    editor(RENAME)
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)
    screen.type("e\n")
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("y\n")
    screen.end()

    rows = sayso("log", "--json").document["rows"][::-1]
    new = rows[2]["run"]
    shown = sayso("show", new)
    old = sayso("show", rows[0]["run"])

    assert states({"results": rows}) == ["declined", "declined", "done", "done"]
    assert [row["code"] for row in rows[:2]] == ["edit.replaced"] * 2
    assert [row["edit_of"] for row in rows] == [None, None, rows[0]["id"], rows[1]["id"]]
    assert rows[1]["digest"] != rows[3]["digest"]
    assert f"You edited this in the preview of {rows[0]['run']}:" in shown.out
    assert '│ - CREATE_FOLDER "~/Documents/New"\n     │ + CREATE_FOLDER "~/Documents/Other"' in shown.out
    assert f"you edited this; it goes on in {new}" in old.out
    assert "Create folder “~/Documents/New”" in old.out


@pytest.mark.req("AV-10")
def test_an_edit_beyond_what_policy_allows_is_refused_and_the_rest_is_asked_about(
    person: Path, reply: Reply, sit: Sit, editor: SetEditor
):
    editor("path.write_text(text.replace('~/Documents/New/a.txt', '~/.ssh/authorized_keys'))")
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")
    screen.see("Do this? [y/N]")
    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == BEFORE
    assert "refused: " in screen.text


@pytest.mark.req("AV-10")
def test_neither_the_flag_nor_the_mode_answers_for_what_was_edited(
    person: Path, reply: Reply, sit: Sit, editor: SetEditor
):
    editor("path.write_text('CREATE_FOLDER \"~/Documents/free\"\\n')")
    text = 'DELETE_FILE "~/Downloads/a.txt"\n'
    screen = sit("run", reply(text), "--dialect", "lines", "--yes", lines=120)
    screen.see("Do this? [y/N]")

    screen.type("e\n")
    screen.see("asks     you edited this, so you are asked about it as new")
    screen.until(lambda text: text.count("Do this? [y/N]") > 1)
    screen.type("\n")

    assert screen.end() == 3
    assert not (person / "Documents" / "free").exists()
    assert tree(person) == BEFORE


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("pass", "nothing was changed"),
        ("path.write_text(text + '# a thought\\n')", "nothing was changed"),
        ("path.write_text(''); sys.exit(3)", "ended with code 3; nothing was edited"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9; nothing was edited"),
        ("path.write_bytes(b'\\xff')", "line 1 is not UTF-8 text; nothing was edited"),
        ("path.unlink()", "the file cannot be read again"),
        ("import tty; tty.setraw(0); sys.exit(1)", "ended with code 1; nothing was edited"),
    ],
)
def test_where_nothing_came_of_it_the_question_stands_as_it_was(
    person: Path, asked: Asked, editor: SetEditor, code: str, said: str
):
    kept = editor(code)
    screen = asked()

    screen.type("e\n")
    screen.see(said)
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/New/a.txt": "first\n"}
    assert list(where(kept)[0].parent.parent.iterdir()) == []


@pytest.mark.req("S0-94")
def test_with_no_command_left_all_of_it_is_cancelled(person: Path, reply: Reply, sit: Sit, editor: SetEditor):
    editor("path.write_text('# nothing\\n')")
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")

    assert screen.end() == 3
    assert "no command is left" in screen.text
    assert tree(person) == BEFORE
    assert states({"results": sayso("log", "--json").document["rows"]}) == ["declined", "declined"]


@pytest.mark.parametrize(("again", "code"), [("e\n", 0), ("\n", 3)])
def test_what_cannot_be_read_is_said_with_its_line_and_edited_again_or_dropped(
    person: Path, asked: Asked, editor: SetEditor, again: str, code: int
):
    kept = editor(
        "path.write_text(text.replace('MOVE_FILE', 'MOVE_FLIE') if number == 0 else "
        "text.replace('MOVE_FLIE', 'COPY_FILE'))"
    )
    screen = asked()

    screen.type("e\n")
    screen.see("Unknown command: MOVE_FLIE", "Edit again? [e/N]")
    given_lines = given_to(kept).split("\n")
    line = next(number for number, text in enumerate(given_lines, 1) if text.startswith("MOVE_FILE"))
    assert f"line {line}: Unknown command" in screen.text
    screen.type(again)
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("y\n" if again == "e\n" else "\n")

    assert screen.end() == code
    copied = BEFORE | {"Documents/New/a.txt": "first\n"}
    assert tree(person) == (copied if again == "e\n" else BEFORE)
    if again == "e\n":
        assert "MOVE_FLIE" in given_to(kept, 1)


def test_where_there_is_no_editor_that_is_said_and_the_question_stands(
    person: Path, reply: Reply, sit: Sit, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    monkeypatch.delenv("VISUAL", raising=False)
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")

    screen.see("EDITOR names “no-such-editor-here”, which is not there")
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("\n")
    assert screen.end() == 3


def test_what_is_left_out_stands_there_as_a_comment_and_what_needed_it_is_planned_anew(
    person: Path, reply: Reply, sit: Sit, editor: SetEditor
):
    kept = editor("pass")
    text = 'WRITE_FILE "~/Documents/n.txt" <<END\none\nEND\nAPPEND_FILE "~/Documents/n.txt" "two"\n'
    screen = sit("run", reply(text + 'DELETE_FILE "~/Downloads/a.txt"\n'), "--dialect", "lines", lines=140)
    screen.see("Execute all 3? [y/N]")
    screen.type("1,3\n")
    screen.see("without 1, 2 cannot happen")

    screen.type("e\n")
    screen.see("Do this? [y/N]")
    screen.type("y\n")

    assert screen.end() == 0
    assert '# WRITE_FILE "~/Documents/n.txt" <<END #\n# one\n# END\n' in given_to(kept)
    assert "\nAPPEND_FILE" in given_to(kept)
    assert tree(person) == BEFORE | {"Documents/n.txt": "two"}


def test_ctrl_c_in_the_editor_is_the_editors(person: Path, reply: Reply, sit: Sit, editor: SetEditor):
    editor("signal.signal(signal.SIGINT, lambda *_: None); os.killpg(0, signal.SIGINT); " + RENAME)
    screen = sit("run", reply(BATCH), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")
    screen.see("as you edited them")
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/Other/a.txt": "first\n"}


@pytest.mark.req("AV-01")
def test_characters_that_may_not_show_are_named_in_the_editor(person: Path, reply: Reply, sit: Sit, editor: SetEditor):
    kept = editor("pass")
    (person / "Downloads" / "inv\u202egpj.txt").write_text("x")
    text = 'MOVE_FILE "~/Downloads/inv\u202egpj.txt" "~/Documents/x.txt"\n'
    screen = sit("run", reply(text + 'CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines", lines=120)
    screen.see(ASKED)

    screen.type("e\n")
    screen.until(lambda shown: shown.count(ASKED) == 2)
    screen.type("\n")
    screen.end()

    assert "# look: the next command holds \\u{202e}, which may not show\nMOVE_FILE" in given_to(kept)

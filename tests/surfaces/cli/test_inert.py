"""What a person edits gives no orders to their editor, and comes back as it was."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.editor import MARK, make_inert
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.editors import an_editor, given_to
from tests.surfaces.cli.person import tree

Reply = Callable[[str], str]

ORDERS = [
    "vim: set tw=33:", "# vi:tw=33", "x ex: tw=33", "/* vim: set tw=33: */", "vim600: tw=33", "vim>600: tw=33",
    "Vim:tw=3", "vim<900: tw=33", "vim=802: tw=33", "// VIM: se tw=33 :",
]  # fmt: skip
"""Modelines as the manual of Vim gives them (`:help modeline`)."""
OTHERS = [
    '-*- mode: sh; eval: (shell-command "id") -*-', "-*-eval:(x)-*-", "# Local Variables:\n# eval: (x)\n# End:",
    "local  variables:", "kate: indent-width 9;", "kate-mimetype(text/x): x", ":mode=c:wrap=none:", "sublime: x",
]  # fmt: skip
PIECES = st.lists(st.sampled_from([*ORDERS, *OTHERS, MARK, MARK * 2, "a", "\n", ":", "-", "*", "vi", "m", "=", "ex"]))


@given(st.one_of(PIECES.map("".join), st.text()))
def test_it_comes_back_as_it_was(text: str):
    inert = make_inert(text)

    assert inert.restored(inert.text) == text
    assert make_inert(inert.text).mark == "" or not inert.mark


@pytest.mark.parametrize("order", [*ORDERS, *OTHERS])
def test_what_an_editor_looks_for_is_broken_and_other_text_is_left_alone(order: str):
    assert order not in make_inert(f"a\n{order}\nb").text
    assert make_inert("Dear Ana,\nat 12:30 see https://example.org/a?b=c and 3*-4\n").mark == ""


def tells_width(file: Path, text: str) -> str:
    """Return the width of text that Vim has set after it read a file, with its modelines switched on."""
    file.write_text(text)
    told = file.with_name("told")
    switched_on = ["--cmd", "set modeline modelines=5"]
    asks = ["-c", f"call writefile([&textwidth], '{told}')", "-c", "qa!"]
    subprocess.run(
        ["vim", "-u", "NONE", "-N", "-i", "NONE", "-n", "-es", *switched_on, *asks, str(file)], check=False, timeout=60
    )
    return told.read_text().strip()


@pytest.mark.skipif(shutil.which("vim") is None, reason="no vim here")
@pytest.mark.parametrize("order", ORDERS)
def test_vim_obeys_nothing_in_it(tmp_path: Path, order: str):
    text = f"a\n {order}\n"

    assert tells_width(tmp_path / "plain.txt", "a\n vim: set tw=33:\n") == "33"
    assert tells_width(tmp_path / "actions.txt", make_inert(text).text) == "0"


def test_a_modeline_in_what_is_proposed_is_marked_for_the_editor_and_written_as_it_was(
    person: Path,
    reply: Reply,
    sit: Sit,
    settings: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("EDITOR", an_editor(person / "kept", "path.write_text(text.replace('one', 'two'))"))
    content = "one\nvim: set shell=/tmp/eve:\n-*- eval: (x) -*-\n"
    settings('[policy]\nmode = "always"\n')
    screen = sit("run", reply(f'WRITE_FILE "~/Documents/n.txt" <<END\n{content}END\n'), "--dialect", "lines")
    screen.see("[y/N]")

    screen.type("e\n")
    shown = screen.until(lambda text: text.count("[y/N]") == 2 and "two" in text)
    screen.type("y\n")

    assert screen.end() == 0
    assert f"vim{MARK}: set" in given_to(person / "kept")
    assert "keeps the editor from obeying the text" in " ".join(shown.split())
    assert tree(person / "Documents") == {"n.txt": content.replace("one", "two")}

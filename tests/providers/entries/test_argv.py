"""A command of a desktop entry is read into an argument vector, by the rules and without a shell."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.entries.argv import Unreadable, argv

CODES = {"i": ("--icon", "pen"), "c": ("Note Pad",), "k": ("/apps/note.desktop",)}


@pytest.mark.req("AP-02", "X-07")
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("note", ["note"]),
        ("note %U", ["note"]),
        ("note --file=%f end", ["note", "--file=", "end"]),
        ("note %i %c", ["note", "--icon", "pen", "Note Pad"]),
        ("note --from=%k", ["note", "--from=/apps/note.desktop"]),
        ("note 100%%", ["note", "100%"]),
        ("note %%", ["note", "%"]),
        ('"/opt/my tools/note" -x', ["/opt/my tools/note", "-x"]),
        (r'note "a \"b\" \$c \`d\` \\e"', ["note", 'a "b" $c `d` \\e']),
        (r'note "a\n"', ["note", r"a\n"]),
        ('note ""', ["note", ""]),
        ("  note   a ", ["note", "a"]),
        ("note $HOME ; rm -rf ~ && echo `x` > y", shlex.split("note '$HOME' ';' rm -rf '~' '&&' echo '`x`' '>' y")),
        ("note %d %N %v %m", ["note"]),
        ('note "%f"', ["note", "%f"]),
        ("env A=1 note", ["env", "A=1", "note"]),
    ],
)
def test_a_command_is_split_by_the_rules(command: str, arguments: list[str]):
    assert list(argv(command, CODES)) == arguments


@pytest.mark.parametrize("command", ["", "   ", '"', 'note "a', "note %z", "note 5%", "note \\", '""'])
def test_what_breaks_the_rules_is_unreadable(command: str):
    with pytest.raises(Unreadable):
        argv(command, CODES)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="%\0"), min_size=1), min_size=1))
def test_what_was_quoted_comes_back_as_it_was(words: list[str]):
    quoted = " ".join('"' + "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word) + '"' for word in words)

    assert list(argv(quoted, {})) == words


@given(st.text())
def test_any_text_is_read_or_unreadable(command: str):
    try:
        read = argv(command, CODES)
    except Unreadable:
        return

    assert read[0]

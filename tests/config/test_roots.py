"""The folders that actions may reach, on a real disk."""

from pathlib import Path

from sayso.config.roots import Root, both, roots_at


def test_a_folder_is_shown_as_written_and_as_it_really_is(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("x")

    found = roots_at([str(tmp_path / name) for name in ("link", "gone", "file", "link")])

    assert found == [
        Root(f"{tmp_path}/link", f"{tmp_path}/real", is_there=True),
        Root(f"{tmp_path}/gone", f"{tmp_path}/gone", is_there=False),
        Root(f"{tmp_path}/file", f"{tmp_path}/file", is_there=False),
    ]
    assert not (tmp_path / "gone").exists()


def a_root(path: str, real: str = "") -> Root:
    """Return a folder that is there."""
    return Root(path, real or path, is_there=True)


def test_of_two_lists_the_inner_folders_remain():
    own = [a_root("/h/Documents"), a_root("/h/Desktop"), a_root("/h/link", "/srv/work")]
    others = [a_root("/h/Documents/Work"), a_root("/srv"), a_root("/h/Desk")]

    assert [root.path for root in both(own, others)] == ["/h/Documents/Work", "/h/link"]


def test_nothing_remains_of_lists_that_do_not_meet():
    assert both([a_root("/a")], [a_root("/b"), Root("/a", "/a", is_there=False)]) == []

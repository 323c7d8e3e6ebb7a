"""Lists, searches and reads are bounded, follow no link, and leave out what is not to be shown."""

import os

import pytest

from sayso.core.errors import ProviderError, Refused
from tests.providers.files.local.desk import Desk


async def test_a_folder_is_listed_by_name(desk: Desk):
    desk.file("b.txt", "12")
    (desk.documents / "a").mkdir()
    (desk.documents / "l").symlink_to("/etc/passwd")

    listing = await desk.reads.list("~/Documents", 10)

    assert [(entry.name, entry.kind) for entry in listing.entries] == [
        ("a", "folder"),
        ("b.txt", "file"),
        ("l", "link"),
    ]
    assert listing.omitted == 0
    assert [entry.size for entry in listing.entries][:2] == [0, 2]


@pytest.mark.req("FS-09", "FS-10")
async def test_what_is_not_to_be_shown_is_counted(desk: Desk):
    for name in (".ssh/id", "a", "b", "c"):
        desk.file(name)
    os.mkfifo(desk.documents / "pipe")

    listing = await desk.reads.list("~/Documents", 2)

    assert [entry.name for entry in listing.entries] == ["a", "b"]
    assert listing.omitted == 3


@pytest.mark.req("FS-09")
async def test_a_search_goes_through_loops_and_links_without_following(desk: Desk):
    desk.file("a/b/Report.TXT")
    desk.file(".ssh/report.txt")
    (desk.documents / "a/up").symlink_to("..")
    (desk.outside / "report.txt").write_text("canary")
    (desk.documents / "out").symlink_to(desk.outside)

    listing = await desk.reads.find("~/Documents", "report*", 10)

    assert [entry.path for entry in listing.entries] == [str(desk.documents / "a/b/Report.TXT")]
    assert listing.omitted == 1


@pytest.mark.req("FS-09")
@pytest.mark.timeout(120)
async def test_a_hundred_thousand_entries_are_counted_and_searched(one_desk: Desk):
    folder = one_desk.documents / "big"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for number in range(100_000):
        os.close(os.open(f"f{number}", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)

    item = await one_desk.reads.look("~/Documents/big")
    listing = await one_desk.reads.list("~/Documents/big", 50)
    found = await one_desk.reads.find("~/Documents", "f9999?", 5)

    assert item.entries == 100_000
    assert (len(listing.entries), listing.omitted) == (50, 99_950)
    assert (len(found.entries), found.omitted) == (5, 5)


@pytest.mark.req("FS-13")
async def test_a_name_that_is_no_text_is_escaped_and_flagged(desk: Desk):
    here = os.fsencode(desk.documents)
    os.close(os.open(here + b"/\xff.txt", os.O_CREAT | os.O_WRONLY))

    (entry,) = (await desk.reads.list("~/Documents", 10)).entries
    (found,) = (await desk.reads.find("~/Documents", "*.txt", 10)).entries

    assert (entry.name, entry.flagged) == ("\\xff.txt", True)
    assert found.path == f"{desk.documents}/\\xff.txt"


async def test_text_is_read_up_to_the_limit_and_no_character_is_cut(desk: Desk):
    desk.file("a.txt", "aé")

    cut = await desk.reads.read("~/Documents/a.txt", 2)
    whole = await desk.reads.read("~/Documents/a.txt", 100)

    assert (cut.text, cut.total, cut.exact) == ("a", 3, False)
    assert (whole.text, whole.total, whole.exact) == ("aé", 3, True)


async def test_what_is_no_text_is_read_but_not_called_exact(desk: Desk):
    desk.file("a.bin", b"\xff\x00ok")

    content = await desk.reads.read("~/Documents/a.bin", 100)

    assert not content.exact
    assert content.text.endswith("ok")


async def test_reading_a_folder_and_listing_a_file_are_said(desk: Desk):
    desk.file("a")

    with pytest.raises(ProviderError):
        await desk.reads.read("~/Documents", 10)
    with pytest.raises(ProviderError):
        await desk.reads.list("~/Documents/a", 10)


@pytest.mark.req("FS-02", "FS-09")
async def test_a_folder_that_is_a_link_out_is_not_listed(desk: Desk):
    (desk.documents / "out").symlink_to(desk.outside)

    for look in (desk.reads.list("~/Documents/out", 10), desk.reads.find("~/Documents/out", "*", 10)):
        with pytest.raises(Refused):
            await look


async def test_reading_leaves_the_times_of_a_file_alone(desk: Desk):
    path = desk.file("a.txt")
    os.utime(path, ns=(1, 1))

    await desk.reads.read(str(path), 10)
    await desk.reads.look(str(path))

    found = path.stat()
    assert (found.st_atime_ns, found.st_mtime_ns) == (1, 1)

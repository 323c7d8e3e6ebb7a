"""A backup is put back whole or not at all, into an empty home or another one, and nothing else ever is."""

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import sayso
from sayso.assembly.archive import MANIFEST, PARTS, is_place, unpack, write_backup
from sayso.assembly.restore import READY, UNPACKED, carry_out, finish, give_up, stage
from sayso.config.paths import Places, in_folder
from sayso.core.decision import Decision
from sayso.core.errors import SetupError
from sayso.core.grant import Wish
from sayso.testing.fakes import KillAt, Killed
from tests.fails import fails
from tests.journeys.ground import hashes_in
from tests.templates.actions import CONFIG

ACTION = CONFIG + "def handler(params, context): ...\n"
WITHIN = [f"restore.{part}.{at}" for part in PARTS for at in ("before", "aside", "put")]
POINTS = ["restore.alone", "restore.ready", *WITHIN]


def home_of(place: Path) -> Places:
    return in_folder(place / "own", place)


async def filled(place: Path, word: str) -> Places:
    """Make a home that holds something of each part, all of it with this word."""
    places = home_of(place)
    (places.home / "actions").mkdir(parents=True, exist_ok=True)
    places.home.chmod(0o700)
    (place / "Documents").mkdir(exist_ok=True)
    places.config.write_text(f'[desktop]\nkind = "memory"\n# {word}\n')
    (places.actions / f"{word}.py").write_text(ACTION)
    async with sayso.open_home(str(places.home), environ={"HOME": str(place)}) as home:
        made = f'FILE_MKDIR "~/Documents/{word}"\nNOTE_CREATE "{word}" "Text"\nTASK_ADD "{word}"'
        await home.run(f'{made}\nCREATE_REMINDER "{word}"', approver=yes)
    return places


yes = sayso.Client(lambda question: True)


async def backed_up(place: Path, file: Path) -> Path:
    async with sayso.open_home(str(home_of(place).home), environ={"HOME": str(place)}) as home:
        await write_backup(home, file)
    return file


async def held(place: Path) -> tuple[object, ...]:
    """Return the words of all parts of a home, as sayso itself and the disk tell them."""
    places = home_of(place)
    async with sayso.open_home(str(places.home), environ={"HOME": str(place)}) as home:
        verified = (await home.journal.verify()).ok
        folders = {str(row.arguments["path"]).rpartition("/")[2] for row in await home.log() if "path" in row.arguments}
    with sqlite3.connect(places.lists) as lists:
        tasks = [text for (text,) in lists.execute("SELECT text FROM tasks")]
    notes = sorted(file.stem for file in (places.home / "notes").rglob("*.md"))
    actions = sorted(file.stem for file in places.actions.glob("*.py"))
    entries = "".join(file.read_text() for file in (places.home / "calendars").rglob("*.ics"))
    reminders = [line.partition(":")[2] for line in entries.splitlines() if line.startswith("SUMMARY:")]
    return verified, folders, tasks, notes, actions, reminders, places.config.read_text().split()[-1]


def all_of(word: str) -> tuple[object, ...]:
    """Return what `held` returns for a home that was filled with this word."""
    return True, {word}, [word], [word], [word], [word], word


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    await filled(tmp_path / "old", "apple")
    return await backed_up(tmp_path / "old", tmp_path / "backup.zip")


async def test_a_backup_comes_back_into_an_empty_home_and_is_private(tmp_path: Path, backup: Path):
    (tmp_path / "new").mkdir()
    places = home_of(tmp_path / "new")

    staged = stage(places, backup)
    carry_out(places)

    assert await held(tmp_path / "new") == all_of("apple")
    assert "where there is none now" in staged.replaces[0]
    assert {file.stat().st_mode & 0o77 for file in (places.database, places.lists, places.config)} == {0}
    with zipfile.ZipFile(backup) as packed:
        (entry,) = [name for name in packed.namelist() if name.endswith(".ics")]
        assert set(packed.namelist()) == {
            MANIFEST, "sayso.db", "tasks.db", "config.toml", "actions/apple.py", "notes/apple.md", entry,
        }  # fmt: skip


async def test_it_takes_the_place_of_another_home_which_is_kept_aside(tmp_path: Path, backup: Path):
    places = await filled(tmp_path / "new", "pear")

    staged = stage(places, backup)
    untouched = await held(tmp_path / "new") if not (places.home / READY).exists() else None
    kept = carry_out(places)

    assert untouched == all_of("pear")
    assert await held(tmp_path / "new") == all_of("apple")
    assert {file.name for file in (kept / "old").iterdir()} >= {*PARTS}
    assert (kept / "old" / "actions" / "pear.py").read_text() == ACTION
    with sqlite3.connect(kept / "old" / "sayso.db") as journal:
        assert journal.execute("SELECT count(*) FROM action").fetchone() == (4,)
    assert staged.settings == ("-# pear", "+# apple")
    assert tuple(one for one in staged.replaces if ".py" in one) == ("  new: apple.py", "  put aside: pear.py")
    again = stage(places, backup)
    assert carry_out(places) != kept
    assert again.settings == ()


async def test_standing_permissions_that_would_be_in_force_again_are_told_before_the_yes(tmp_path: Path):
    place = tmp_path / "old"
    places = await filled(place, "apple")
    with places.config.open("a") as config:
        config.write('[policy]\nmode = "always"\n')
    async with sayso.open_home(str(places.home), environ={"HOME": str(place)}) as home:
        done = await home.run('CREATE_FOLDER "~/Documents/asked"', approver=yes)
        offer = await home.grants.offer(Wish(done.outcomes[0].record.id))
        given = await home.grants.give(offer, Decision(True, "terminal", offer.digest))
        await write_backup(home, tmp_path / "backup.zip")
        kept = stage(places, tmp_path / "backup.zip").replaces
        await home.grants.revoke(given.id)

    ended = stage(places, tmp_path / "backup.zip").replaces

    assert "standing permissions, which let actions run without asking: 1" in kept
    assert "standing permissions, which let actions run without asking: 1, of which 1 is not in force now" in ended


async def test_without_a_yes_nothing_stays_of_it(tmp_path: Path, backup: Path):
    places = await filled(tmp_path / "new", "pear")
    before = hashes_in(places.home)

    stage(places, backup)
    give_up(places)

    assert hashes_in(places.home) == before


@pytest.mark.parametrize("point", POINTS)
async def test_killed_at_any_moment_the_home_is_the_one_or_the_other_and_whole(
    point: str, tmp_path: Path, backup: Path
):
    places = await filled(tmp_path / "new", "pear")
    stage(places, backup)

    with pytest.raises(Killed):
        carry_out(places, KillAt(point))

    assert await held(tmp_path / "new") == all_of("pear" if point == "restore.alone" else "apple")
    assert not (places.home / READY).exists()
    kept = places.home / "before-restore" / "old"
    assert kept.exists() is (point != "restore.alone")
    if kept.exists():
        assert (kept / "config.toml").read_text().split()[-1] == "pear"


async def test_killed_again_and_again_it_gets_to_its_end(tmp_path: Path, backup: Path):
    places = await filled(tmp_path / "new", "pear")
    stage(places, backup)
    with pytest.raises(Killed):
        carry_out(places, KillAt("restore.ready"))

    for point in WITHIN:
        with pytest.raises(Killed):
            finish(places, KillAt(point))

    assert await held(tmp_path / "new") == all_of("apple")


async def test_while_another_process_has_the_home_open_nothing_is_put_back(tmp_path: Path, backup: Path):
    places = await filled(tmp_path / "new", "pear")
    async with sayso.open_home(str(places.home), environ={"HOME": str(tmp_path / "new")}):
        stage(places, backup)
        with fails(SetupError, "restore.busy", "has this home open"):
            carry_out(places)
        give_up(places)

    assert await held(tmp_path / "new") == all_of("pear")


@pytest.mark.parametrize(
    "name",
    [
        "../x", "/etc/passwd", "actions/../x", "actions/../../x", "actions/a/b.py", "actions/", "notes//x", "notes/./x",
        "notes/a\nb", "x", "trash/x", "notes/" + "a" * 256, "notes/" + "a/" * 8 + "b", "config.toml/x", "sayso.db/x",
        "notes/\udc80", "\\x", "",
    ],
)  # fmt: skip
def test_no_name_leads_out_of_the_home(name: str):
    assert not is_place(name)


@dataclass
class Content:
    """What a backup holds: its files, what it says of each, and what it says of itself."""

    files: dict[str, bytes]
    listed: dict[str, dict[str, object]]
    says: dict[str, object]

    def write(self, target: Path) -> Path:
        """Write a backup of it."""
        with zipfile.ZipFile(target, "w") as packed:
            for name, data in self.files.items():
                packed.writestr(name, data)
            packed.writestr(MANIFEST, json.dumps({**self.says, "files": self.listed}))
        return target

    def put(self, name: str, data: bytes) -> None:
        """Add a file, and list it as it is."""
        self.files[name] = data
        self.listed[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def content(backup: Path) -> Content:
    with zipfile.ZipFile(backup) as packed:
        says = json.loads(packed.read(MANIFEST))
        files = {name: packed.read(name) for name in packed.namelist() if name != MANIFEST}
    return Content(files, says.pop("files"), says)


def _listed_outside(found: Content) -> None:
    found.put("../../evil", b"evil")


def _unlisted(found: Content) -> None:
    found.files["actions/evil.py"] = b"evil"


def _changed(found: Content) -> None:
    found.files["actions/apple.py"] = b"#" + found.files["actions/apple.py"][1:]


def _longer(found: Content) -> None:
    found.files["config.toml"] += b"#" * 10_000_000


def _missing(found: Content) -> None:
    del found.files["tasks.db"]


def _no_journal(found: Content) -> None:
    del found.files["sayso.db"], found.listed["sayso.db"]


def _other_journal(found: Content) -> None:
    """Change a row, as somebody does who wants to have been allowed something; the list of files fits."""
    with sqlite3.connect(":memory:") as journal:
        journal.deserialize(found.files["sayso.db"])
        journal.execute("UPDATE action SET operation = 'file.read' WHERE operation = 'file.mkdir'")
        journal.commit()
        found.put("sayso.db", journal.serialize())


def _no_database(found: Content) -> None:
    found.put("sayso.db", b"SQLite format 3\0" + b"\0" * 4000)


def _newer(found: Content) -> None:
    found.says |= {"form": 2, "sayso": "9.9"}


def _at_no_time(found: Content) -> None:
    found.says |= {"made": "once upon a time"}


def _newer_journal(found: Content) -> None:
    found.says |= {"journal": 999, "sayso": "9.9"}


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (_listed_outside, "restore.damaged", "belongs into no home of sayso"),
        (_unlisted, "restore.damaged", "other files than it lists"),
        (_changed, "restore.damaged", "is not as it was"),
        (_longer, "restore.damaged", "is not as it was"),
        (_missing, "restore.damaged", "other files than it lists"),
        (_no_journal, "restore.damaged", "holds no journal"),
        (_other_journal, "restore.damaged", "journal is not intact"),
        (_no_database, "restore.damaged", "nothing was changed"),
        (_at_no_time, "restore.damaged", "does not say when it was made"),
        (_newer, "restore.newer", r"made by a newer sayso \(9.9"),
        (_newer_journal, "restore.newer", r"made by a newer sayso \(9.9"),
    ],
)
async def test_what_is_damaged_forged_or_newer_changes_nothing(
    change: Callable[[Content], None], code: str, says: str, tmp_path: Path, backup: Path
):
    places = await filled(tmp_path / "new", "pear")
    before = hashes_in(tmp_path / "new")
    found = content(backup)
    change(found)

    with fails(SetupError, code, says):
        stage(places, found.write(tmp_path / "forged.zip"))

    assert hashes_in(tmp_path / "new") == before
    assert not (places.home / UNPACKED).exists()
    assert {file.name for file in tmp_path.iterdir()} == {"old", "new", "backup.zip", "forged.zip"}


async def test_what_has_no_room_is_refused_before_anything_of_it_is_written(tmp_path: Path, backup: Path):
    with fails(SetupError, "restore.space", "has room for 0 more; nothing was changed"):
        unpack(backup, tmp_path / "unpacked", spared=2**62)

    assert not (tmp_path / "unpacked").exists()


@pytest.mark.parametrize("time", [1e300, -1e300])
async def test_a_time_of_a_file_that_cannot_be_is_left_out(time: float, tmp_path: Path, backup: Path):
    found = content(backup)
    found.listed["sayso.db"]["time"] = time

    unpack(found.write(tmp_path / "forged.zip"), tmp_path / "unpacked")

    assert (tmp_path / "unpacked" / "sayso.db").read_bytes() == found.files["sayso.db"]


async def test_a_link_in_a_backup_becomes_a_file_and_is_not_followed(tmp_path: Path, backup: Path):
    found = content(backup)
    found.put("actions/link.py", b"/etc/passwd")
    forged = found.write(tmp_path / "forged.zip")
    with zipfile.ZipFile(forged) as packed:
        for one in packed.infolist():
            one.external_attr = 0o120777 << 16

    unpack(forged, tmp_path / "unpacked")

    assert (tmp_path / "unpacked" / "actions" / "link.py").read_bytes() == b"/etc/passwd"
    assert not any(file.is_symlink() for file in (tmp_path / "unpacked").rglob("*"))


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
async def test_a_backup_that_is_cut_off_is_refused(part: float, tmp_path: Path, backup: Path):
    places = await filled(tmp_path / "new", "pear")
    data = backup.read_bytes()
    (tmp_path / "cut.zip").write_bytes(data[: int(len(data) * part)])

    with fails(SetupError, "restore.damaged"):
        stage(places, tmp_path / "cut.zip")

    assert await held(tmp_path / "new") == all_of("pear")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with fails(SetupError, "restore.unreadable", "No such file"):
        stage(home_of(tmp_path), tmp_path / "none.zip")


async def test_what_is_written_is_no_half_of_a_backup(tmp_path: Path):
    await filled(tmp_path / "old", "apple")
    (tmp_path / "there.zip").write_text("mine")

    with fails(SetupError, "backup.exists"):
        await backed_up(tmp_path / "old", tmp_path / "there.zip")

    assert (tmp_path / "there.zip").read_text() == "mine"

"""Notes in the application Notes of a simulated Mac."""

from pathlib import Path
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone, Step
from sayso.core.ports import Backend
from sayso.providers.notes import NOTES
from sayso.providers.notes.apple import AppleNotesBackend, build
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from sayso.testing.notes import NotesSuite
from tests.fails import fails
from tests.mac_env.fixtures import in_node, on
from tests.mac_env.hostile import LINES, LONG, ONE_LINE

BOTH = pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)


@pytest.mark.thorough
class TestApple(NotesSuite):
    """The suite on simulated Macs."""

    @pytest.fixture(autouse=True)
    def _places(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self._folder, self._engine = tmp_path, mac.engine
        self._made = 0

    def make(self) -> Backend:
        self._made += 1
        return build(on(SimulatedMac(self._folder / f"mac{self._made}", self._engine)))


@in_node
class TestAppleInNode(TestApple):
    """The same in another engine."""


def trial(mac: SimulatedMac) -> Trial:
    return Trial(NOTES, build(on(mac)))


def folder(mac: SimulatedMac, name: str) -> dict[str, Any]:
    """Return a folder of the default account, as it is now."""
    return next(one for one in mac.app("Notes")["accounts"][0]["folders"] if one["name"] == name)


def plant(mac: SimulatedMac, name: str, **note: object) -> None:
    """Put a note into a folder of the default account."""

    def planting(state: dict[str, Any]) -> None:
        app = next(one for one in state["apps"] if one["name"] == "Notes")
        into = next(one for one in app["accounts"][0]["folders"] if one["name"] == name)
        state["counter"] += 1
        number = state["counter"]
        into["notes"].append({"#": "note", "@": number, "id": f"x-coredata://0A1B/ICNote/p{number}", **note})

    mac.change(planting)


@BOTH
@pytest.mark.req("S1-27", "T-45")
async def test_a_note_is_html_in_its_folder_with_the_title_as_its_first_line(mac: SimulatedMac):
    tried = trial(mac)

    await tried.do(await tried.plan("note.create", title="Plan <b>", body="a & b\n\nlast", folder="Work"))

    (note,) = folder(mac, "Work")["notes"]
    assert note["body"].replace("\n", "") == (
        "<div><h1>Plan &lt;b&gt;</h1></div><div>a &amp; b</div><div><br></div><div>last</div>"
    )


@BOTH
async def test_hostile_texts_arrive_whole_in_every_parameter(mac: SimulatedMac):
    tried = trial(mac)

    await tried.do(await tried.plan("note.create", title=ONE_LINE, body=LINES))
    await tried.do(await tried.plan("note.append", target=ONE_LINE, text=LINES))

    (note,) = (await tried.backend.reads.find(ONE_LINE.upper(), 5)).notes
    assert (note.title, note.body) == (ONE_LINE, LINES + LINES)
    no = await refusal_of(tried.plan("note.create", title="x", folder=ONE_LINE))
    assert ONE_LINE[4:] in str(no)


@pytest.mark.thorough
async def test_a_megabyte_of_text_is_given_in_a_private_file_and_arrives_whole(mac: SimulatedMac):
    tried = trial(mac)

    await tried.do(await tried.plan("note.create", title="Long", body=LONG))

    (note,) = (await tried.backend.reads.all_notes()).notes
    assert note.body == LONG
    assert list((mac.folder / "own" / "tmp").iterdir()) == []


async def test_the_folders_of_other_accounts_are_named_with_the_account(mac: SimulatedMac):
    more = {
        "#": "account",
        "id": "a2",
        "name": "On My Mac",
        "folders": [
            {"#": "folder", "id": "f9", "name": "Work", "folders": [{"#": "folder", "id": "f10", "name": "In"}]}
        ],
    }
    mac.change(lambda state: next(app for app in state["apps"] if app["name"] == "Notes")["accounts"].append(more))

    folders = await build(on(mac)).reads.folders()

    assert folders == ("Notes", "Work", "On My Mac/Work", "On My Mac/Work/In")


async def test_the_default_folder_is_called_notes_in_every_language(mac: SimulatedMac):
    def rename(state: dict[str, Any]) -> None:
        next(app for app in state["apps"] if app["name"] == "Notes")["accounts"][0]["folders"][0]["name"] = "Notizen"

    mac.change(rename)
    tried = trial(mac)

    await tried.do(await tried.plan("note.create", title="Plan"))

    assert len(folder(mac, "Notizen")["notes"]) == 1


async def test_locked_and_removed_notes_are_not_read_and_the_locked_ones_are_told(mac: SimulatedMac):
    plant(mac, "Notes", body="<div>Secret</div><div>key</div>", passwordProtected=True)
    plant(mac, "Notes", body="<div>Open</div><div>key</div>", passwordProtected=False)
    plant(mac, "Recently Deleted", body="<div>Gone</div><div>key</div>", passwordProtected=False)

    answer = await trial(mac).answer("note.find", text="key")

    assert [note["title"] for note in cast("list[dict[str, str]]", answer.data["notes"])] == ["Open"]
    assert answer.data["left_out"] == ["“Secret” was left out: it is locked"]


@pytest.mark.parametrize(
    "body",
    [
        "<div>List</div><ul><li>a</li></ul>",
        "<div>List</div><div>a<br>b</div>",
        "<div>List</div><div><img src='x'></div>",
        "<div>List</div><table><tr><td>a</td></tr></table>",
    ],
)
async def test_a_note_that_writing_may_damage_is_left_alone(mac: SimulatedMac, body: str):
    plant(mac, "Notes", body=body, passwordProtected=False)
    tried = trial(mac)

    with fails(ProviderError, "notes.rich"):
        await tried.do(await tried.plan("note.append", target="List", text="b"))

    assert folder(mac, "Notes")["notes"][0]["body"] == body


async def test_lines_that_stay_keep_their_formatting(mac: SimulatedMac):
    plant(mac, "Notes", body="<div><b>List</b></div>\n<div><i>a</i> b<br></div>\n", passwordProtected=False)
    tried = trial(mac)

    plan = await tried.plan("note.append", target="List", text="c")
    left = await tried.do(plan)

    now = folder(mac, "Notes")["notes"][0]["body"].replace("\n", "")
    assert now == "<div><b>List</b></div><div><i>a</i> b<br></div><div>c</div>"
    await tried.take_back(plan, left)
    now = folder(mac, "Notes")["notes"][0]["body"].replace("\n", "")
    assert now == "<div><b>List</b></div><div><i>a</i> b<br></div>"


async def test_undo_moves_the_note_to_the_removed_ones_and_never_removes_it_from_there(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("note.create", title="Plan")
    left = await tried.do(plan)

    await tried.take_back(plan, left)

    assert len(folder(mac, "Recently Deleted")["notes"]) == 1
    await refusal_of(tried.take_back(plan, left))
    assert len(folder(mac, "Recently Deleted")["notes"]) == 1


@pytest.mark.req("S1-58", "AP-01")
async def test_a_missing_permission_is_named_with_where_to_give_it(mac: SimulatedMac):
    mac.fault("Notes", "denied")

    with pytest.raises(SetupError, match=r"does not let sayso control Notes; in System Settings > Privacy & Security"):
        await trial(mac).plan("note.create", title="Plan")


async def test_an_application_that_hangs_while_it_makes_a_note_leaves_it_unknown(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("note.create", title="Plan")
    mac.fault("Notes", "hang", on="make")

    no = await refusal_of(tried.do(plan))

    assert "may have been done" in str(no)


@pytest.mark.parametrize(
    ("point", "settled"),
    [("note.create.before", NotDone), ("notes.made", CannotTell), ("note.create.after", Applied)],
)
async def test_after_a_crash_a_new_note_is_known_by_the_id_that_was_kept(
    mac: SimulatedMac, point: str, settled: type[object]
):
    plan = await trial(mac).plan("note.create", title="Plan", body="x")
    (change,) = plan.changes
    with pytest.raises(Killed):
        await build(on(mac, kill=KillAt(point))).apply(cast("Any", change.do), change.expects)

    assert isinstance(await build(on(mac)).settle(cast("Any", change.do), change.expects), settled)


async def test_a_removed_note_is_settled_as_removed(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("note.create", title="Plan")
    (left,) = await tried.do(plan)
    undo = cast("Step", plan.changes[0].undo)
    assert isinstance(await tried.backend.settle(undo, left.facts), NotDone)

    await tried.backend.apply(undo, left.facts)

    assert isinstance(await tried.backend.settle(undo, left.facts), Applied)


async def test_doctor_tells_the_folders_or_the_missing_permission(mac: SimulatedMac):
    backend: AppleNotesBackend = build(on(mac))
    (works,) = await backend.capabilities()
    mac.fault("Notes", "denied")
    (denied,) = await backend.capabilities()

    assert (works.served, works.why) == ("Notes", "folders: “Notes”, “Work”")
    assert not denied.served
    assert "Automation" in denied.why

"""A card of the page says of each action what it would do, to what, and what could not be taken back."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import sayso
from sayso.assembly import Home
from tests.patience import patience
from tests.web_env.page import serving
from tests.web_env.world import WORLD


class Cards:
    """A browser that was let in, and the home about which it is asked."""

    def __init__(self, home: Home, web: httpx2.AsyncClient) -> None:
        self.home = home
        self.web = web

    async def ask(self, text: str) -> dict[str, Any]:
        """Let these commands wait, and return their card."""
        report = await self.home.run(text)
        return await self.of(report.run)

    async def of(self, run: str) -> dict[str, Any]:
        """Return the card of a run that waits."""
        cards = (await self.web.get("/api/waiting")).json()["waiting"]
        return next(card for card in cards if card["run"] == run)

    async def waits(self) -> set[str]:
        """Return the runs that wait."""
        return {card["run"] for card in (await self.web.get("/api/waiting")).json()["waiting"]}

    async def step(self, text: str) -> dict[str, Any]:
        """Return the only step of the card about a command, which is then declined."""
        card = await self.ask(text)
        await self.home.decline(card["run"], "command")
        (step,) = card["steps"]
        return step

    async def post(self, path: str, card: dict[str, Any], **more: object) -> Any:
        """Send something that is bound to what a card showed."""
        bound = {name: card[name] for name in ("run", "digest", "nonce")}
        return await self.web.post(path, json={**bound, **more})


@pytest.fixture(scope="module")
async def cards(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Cards]:
    folder = tmp_path_factory.mktemp("cards")
    (folder / "own").mkdir()
    (folder / "own" / "config.toml").write_text(WORLD)
    (folder / "Documents").mkdir()
    for name in ("a", "b", "c", "d", "e", "f"):
        (folder / "Documents" / f"{name}.txt").write_text("old\nkept\n")
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Cards(home, web)


async def test_a_change_of_a_file_is_shown_as_a_diff(cards: Cards):
    step = await cards.step('WRITE_FILE "~/Documents/a.txt" "new\\nkept\\n"')

    (shown,) = step["shows"]
    assert shown["kind"] == "diff"
    assert {"-old", "+new", " kept"} <= {*shown["text"].split("\n")}
    assert step["lost"] is False


async def test_a_path_is_written_from_home_on_as_the_sentence_writes_it(cards: Cards):
    home = cards.home.settings.policy.home
    card = await cards.ask(
        f"WRITE_FILE {home}/Documents/whole.txt <<END\n{home}/kept\nEND\nDELETE_FILE {home}/Documents/whole.txt"
    )

    rows = {row["name"]: row["value"] for step in card["steps"] for row in step["rows"]}
    assert rows["path"] == "“~/Documents/whole.txt”"
    assert f"{home}/kept" in rows["content"]


async def test_a_long_address_stands_whole_on_a_card_once_and_the_whole_text_of_a_new_file_too(cards: Cards):
    address = f"https://example.org/{'a' * 2000}"
    text = "\n".join(f"line number {number}" for number in range(300))
    visit, file = [
        await cards.step(one)
        for one in (f'OPEN_URL "{address}"', f"WRITE_FILE ~/Documents/long.txt <<END\n{text}\nEND")
    ]

    whole = [visit["text"], visit["why"], *visit["sends"], *(shown["text"] for shown in visit["shows"])]
    assert [address[8:] in one for one in whole] == [True, *[False] * (len(whole) - 1)]
    assert visit["sends"] == [f"a visit to example.org/{'a' * 28}…{'a' * 16}"]
    assert {row["name"] for row in visit["rows"] if row["repeats"]} == {"url"}
    written_out = [row["name"] for row in file["rows"] if not row["shown"]]
    assert (written_out, file["shows"]) == (["content"], [])


async def test_a_mail_is_shown_with_every_recipient_and_its_whole_body(cards: Cards):
    body = "word " * 900 + "the last"
    step = await cards.step(
        f'MAIL_SEND "a@example.org, b@example.org" "Hello" "{body}" "c@example.org" "d@example.org"'
    )

    assert {row["name"] for row in step["rows"] if row["repeats"]} == {"body"}
    (shown,) = step["shows"]
    people = {one["name"]: one["values"] for one in shown["people"]}
    assert people["To"] == ["a@example.org", "b@example.org"]
    assert (people["Cc"], people["Bcc"]) == (["c@example.org"], ["d@example.org"])
    assert (shown["subject"], shown["body"], shown["draft"]) == ("Hello", body, False)
    assert step["lost"] is True


async def test_a_window_is_shown_at_its_old_and_its_new_place_on_the_monitors(cards: Cards):
    step = await cards.step('APP_PLACE "Clock" left')

    (shown,) = step["shows"]
    assert [one["name"] for one in shown["monitors"]] == ["Main", "Left"]
    (window,) = shown["windows"]
    assert window["before"] == [100, 100, 500, 400]
    assert window["after"][0] < 0


async def test_tabs_are_listed_with_their_titles_and_an_event_and_a_task_before_and_after(cards: Cards):
    tabs = await cards.step("TAB_CLOSE [1,2]")
    event = await cards.step('CALENDAR_UPDATE_EVENT "e1" "Retro"')
    task = await cards.step('TASK_EDIT "Call Ann" "Call Anna"')

    (listed,) = tabs["shows"]
    (changed,) = event["shows"]
    assert listed["kind"] == "tabs"
    assert ["One" in listed["tabs"][0], "https://two.example/" in listed["tabs"][1]] == [True, True]
    assert {"name": "title", "before": "Review", "after": "Retro"} in changed["rows"]
    assert task["text"] == "Rename “Call Ann” to “Call Anna”"


@pytest.mark.req("AV-02")
async def test_letters_that_look_like_others_are_named(cards: Cards):
    step = await cards.step('CREATE_FOLDER "~/Documents/\u0440\u0430ypal"')

    assert any("mixes Latin and Cyrillic letters" in said for said in step["looks"])


async def test_an_unusual_spelling_in_a_path_and_in_the_summary_is_named_once(cards: Cards):
    step = await cards.step('CREATE_FOLDER "~/Documents/cafe\u0301"')

    assert step["looks"] == ["“cafe\u0301” is spelled in an unusual way that looks like the usual one"]


async def test_actions_that_are_alike_are_one_step_that_names_each(cards: Cards):
    card = await cards.ask("\n".join(f"DELETE_FILE ~/Documents/{name}.txt" for name in "abc"))
    await cards.home.decline(card["run"], "command")

    (group,) = card["groups"]
    assert group["indices"] == [0, 1, 2]
    assert group["text"].startswith("Delete 3 files in ")
    assert group["members"] == ["“a.txt”", "“b.txt”", "“c.txt”"]


@pytest.mark.req("S0-94", "AV-10")
async def test_an_edit_is_checked_and_asked_about_as_new(cards: Cards):
    card = await cards.ask("CREATE_FOLDER ~/Documents/one\nCREATE_FOLDER ~/Documents/two")
    (first, second) = card["ids"]
    (form, other) = (await cards.web.get(f"/api/form?id={card['run']}")).json()["forms"]
    (alone,) = (await cards.web.get(f"/api/form?id={first}")).json()["forms"]
    wrong = await cards.post("/api/edit", card, edits={first: {"paths": "x"}})
    refused = await cards.post("/api/edit", card, edits={first: {"path": "~/.ssh/new"}})

    assert (alone, other["id"]) == (form, second)
    assert (form["arguments"], form["schema"]["required"]) == ({"path": "~/Documents/one"}, ["path"])
    assert (wrong.status_code, wrong.json()["code"]) == (400, "page.arguments")
    assert next(one["state"] for one in refused.json()["edits"][0]["results"]) == "refused"

    card = await cards.ask("CREATE_FOLDER ~/Documents/one\nCREATE_FOLDER ~/Documents/two")
    (first, second) = card["ids"]
    edited = await cards.post("/api/edit", card, edits={first: {"path": "~/Documents/three"}}, leave_out=[second])
    again = await cards.post("/api/edit", card, edits={first: {"path": "~/Documents/four"}})
    (run,) = [edit["run"] for edit in edited.json()["edits"]]
    new = await cards.of(run)

    assert [step["arguments"]["path"] for step in new["steps"]] == ["~/Documents/three"]
    assert new["edited"] is True
    assert new["digest"] != card["digest"]
    assert card["run"] not in await cards.waits()
    assert again.json()["code"] == "page.answered"
    await cards.home.decline(run, "command")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("[policy]\npaused = true\n", "everything is paused; “sayso resume” lets sayso go on"),
        ("[policy\n", "everything is paused until the settings can be read again: "),
    ],
)
async def test_a_yes_while_all_is_paused_is_refused_and_counts_once_it_is_not(cards: Cards, settings: str, why: str):
    card = await cards.ask("CREATE_FOLDER ~/Documents/held")
    config = Path(cards.home.settings.places.config)
    kept = config.read_text()
    config.write_text(settings)

    try:
        refused = await cards.post("/api/decide", card, answer="yes")
        edited = await cards.post("/api/edit", card, edits={card["ids"][0]: {"path": "~/Documents/other"}})
        state = (await cards.web.get("/api/state")).json()
        waits = await cards.waits()
    finally:
        config.write_text(kept)
    done = await cards.post("/api/decide", card, answer="yes")
    await cards.home.undo(done.json()["run"])

    assert [one.status_code for one in (refused, edited)] == [409, 409]
    assert refused.json()["code"] == edited.json()["code"] == "policy.paused"
    assert refused.json()["error"].startswith(why)
    assert (state["paused"], bool(state["unreadable"])) == (True, "can be read" in why)
    assert card["run"] in waits
    assert done.json()["results"][0]["state"] == "done"


@pytest.mark.req("AV-11")
async def test_always_shows_the_grant_and_gives_exactly_the_one_that_was_shown(cards: Cards):
    card = await cards.ask('WRITE_FILE ~/Documents/new.txt "one"')
    never = await cards.ask('MAIL_SEND "a@example.org" "s" "b"')
    shown = (await cards.web.get(f"/api/always?ids={card['ids'][0]}")).json()
    none = (await cards.web.get(f"/api/always?ids={never['ids'][0]}")).json()
    await cards.home.decline(never["run"], "command")
    (offer,) = shown["offers"]

    other = await cards.post("/api/decide", card, answer="yes", permits=["sha256:0"])
    card = await cards.of(card["run"])
    done = await cards.post("/api/decide", card, answer="yes", permits=[offer["digest"]])
    alike = await cards.home.run('WRITE_FILE ~/Documents/other.txt "one"')
    beyond = await cards.home.run('WRITE_FILE ~/Documents/other.sh "one"')

    assert (card["always"], never["always"]) == (True, False)
    assert (none["offers"], bool(none["why"])) == ([], True)
    assert offer["varies"][0]["name"] == "path"
    assert any("operation in this home" in words for words in offer["reach"])
    assert other.json()["code"] == "page.changed"
    assert done.json()["results"][0]["state"] == "done"
    assert str(alike.outcomes[0].record.marks.approved_by).startswith("grant:")
    assert beyond.outcomes[0].record.state == "waiting"
    (grant,) = await cards.home.grants.all()
    assert (grant.given_by, grant.operation) == ("click", "file.write")
    await cards.home.grants.revoke(grant.id)
    await cards.home.decline(beyond.run, "command")

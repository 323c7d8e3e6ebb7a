"""A person talks on the page in a real browser: what streams in, what the buttons do, and what stays."""

import json
import re
from threading import Event

import pytest
from anyio import to_thread
from playwright.async_api import Route, expect

from sayso.core.conversation import ReplyText
from sayso.testing.model_server import Pause
from tests.web_env.talking import Talk, block, on_button, talk
from tests.web_env.windows import Site

pytestmark = pytest.mark.needs("chromium")


WATCHES = """
(() => {
  const reply = document.querySelector("sayso-chat .reply");
  window.ever = [];
  const look = () => ever.push(reply.textContent);
  new MutationObserver(look).observe(reply, {subtree: true, childList: true, characterData: true});
})()
"""


@pytest.mark.req("S2-14", "S2-18", "S2-19", "S2-30", "S2-33")
async def test_a_wish_streams_in_becomes_buttons_is_done_by_one_and_taken_back(site: Site):
    middle = Event()
    first, rest = block("one").split("add_task")
    letters = [ReplyText(letter) for letter in "Sure, \n\n" + first]
    reply = [*letters, Pause(middle), ReplyText(f"add_task{rest}\n\n{block('two')}\n\n{block('three')}\n\nSay so.")]
    async with talk(site, reply, "Noted.") as chat:
        await chat.window.run(WATCHES)
        await chat.say("Note three things")
        await expect(chat.streaming).to_have_text("Sure,")
        while_it_streams = await chat.window.text()
        middle.set()
        await expect(chat.offers).to_have_count(3)
        whole = await chat.window.text()
        ever = await chat.window.run("window.ever")
        await chat.press("Add the task “two”")
        await expect(chat.offers).to_have_text(
            [on_button("Add the task “one”", "Note one"), on_button("Add the task “three”", "Note three")]
        )
        done = await chat.tasks()
        await expect(chat.page.locator("#undo.open")).to_contain_text("Undo")
        await chat.page.locator("#undo").get_by_role("button", name="Undo").click()
        await expect(chat.page.locator("#undo .results")).to_be_visible()
        await chat.window.show("waiting")
        card = chat.page.locator("sayso-waiting sayso-card").filter(has_text="Add the task “one”")
        await expect(card).to_be_visible()
        first_seen = await card.inner_text()

        assert "changed since" not in first_seen
        assert len(ever) > 1
        assert not [text for text in ever if any(part in text for part in ("{", "`", "json"))]
        assert "{" not in while_it_streams + whole
        assert "json" not in while_it_streams + whole
        assert "Add the task “one”" in whole
        assert await chat.page.locator(".bubble sayso-offers, .bubble button").count() == 0
        assert "two" in done
        assert not {"one", "two", "three"} & {*await chat.tasks()}


@pytest.mark.req("S2-12", "S2-15", "S2-28", "S2-51")
async def test_a_reply_of_nothing_but_proposals_has_no_bubble_and_all_are_applied_in_order_by_one_press(site: Site):
    async with talk(site, f"{block('a')}\n\n{block('b')}\n\n{block('c')}", "Done.") as chat:
        await chat.say("Note all")
        labels = [on_button(f"Add the task “{one}”", f"Note {one}") for one in "abc"]
        await expect(chat.offers).to_have_text(labels)
        bubbles = await chat.replies.count()

        await chat.press("Apply all 3")
        await expect(chat.page.locator(".outcomes li .state.done")).to_have_count(3)

        assert bubbles == 0
        assert [task for task in await chat.tasks() if len(task) == 1] == ["a", "b", "c"]
        assert [text.split("“")[1][0] for text in await chat.page.locator(".outcomes .what").all_inner_texts()] == [
            *"abc"
        ]
        assert await chat.page.locator("sayso-offers article").count() == 0


@pytest.mark.thorough
async def test_what_was_edited_on_waiting_is_told_in_the_chat_as_it_was_done_and_can_be_taken_back_there(site: Site):
    async with talk(site, f"{block('ham')}\n\n{block('jam')}", "Noted.", "Noted.") as chat:
        await chat.say("Note it")
        await expect(chat.offers).to_have_count(2)
        await chat.over()
        address = await chat.window.run("location.hash")
        await expect(chat.page.get_by_role("link", name="Edit, or always allow…")).to_have_count(1)
        await chat.page.keyboard.press("Escape")
        await chat.page.keyboard.press("e")
        card = chat.window.card("ham")
        await expect(card.get_by_role("button", name="Cancel")).to_be_focused()
        await card.get_by_role("button", name="Edit…").click()
        await card.get_by_role("textbox", name="text").first.fill("eggs")
        await chat.window.answer("ham", "yes")
        await chat.window.answer("As you edited it", "yes")
        await chat.window.has("You said yes.")
        await chat.window.run(f"location.hash = '{address}'")
        told = chat.page.locator(".outcomes li")
        await expect(told).to_have_text([re.compile("^editedAdd the task “ham”"), re.compile("^doneAdded “jam”")])
        first = await told.first.inner_text()
        await told.first.get_by_role("button", name="Undo").click()
        await expect(told.first).to_contain_text("it was taken back")
        tasks = await chat.tasks()

    assert first.split("\n\n")[:3] == ["edited", "Add the task “ham”", "done as: Added “eggs”"]
    assert "jam" in tasks
    assert not {"ham", "eggs"} & {*tasks}


async def test_ones_own_no_is_told_as_quietly_as_any_word_in_the_chat_and_in_the_history(site: Site):
    quiet = "one => getComputedStyle(one).color === getComputedStyle(document.querySelector('.quiet')).color"
    async with talk(site, block("rum"), "As you like.") as chat:
        await chat.say("Note rum")
        no = chat.page.locator("sayso-offers button.no")
        await chat.ready(no)
        await no.click()
        told = chat.page.locator(".outcomes li")
        await expect(told).to_contain_text("you said no")
        looks = [await one.evaluate(quiet) for one in await told.locator(".state, .what > .quiet").all()]
        await chat.window.show("history")
        row = chat.page.locator("sayso-row").filter(has_text="rum").first
        await expect(row).to_contain_text("you said no")
        looks += [await one.evaluate(quiet) for one in await row.locator(".state, .what > p:nth-child(2)").all()]

    assert looks == [True] * 4


def light(colour: str) -> int:
    """Return how light a colour such as “rgb(1, 2, 3)” is."""
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))


@pytest.mark.req("S3-79", "S3-80", "X-18")
async def test_buttons_have_the_colours_of_their_styles_and_a_dangerous_one_says_so_in_words(site: Site):
    made = """import('/static/offers.js').then(({styled}) =>
      ['primary', 'secondary', 'danger', undefined, 'pink'].map(style => {
        const one = styled('Go', style, {title: 'why'});
        document.querySelector('main').append(one);
        one.style.transition = 'none';
        const {backgroundColor, color} = getComputedStyle(one);
        one.disabled = true;
        const off = getComputedStyle(one);
        const told = [one.className, backgroundColor, color, one.title, one.textContent, off.opacity < 1, off.cursor];
        one.remove();
        return told }))"""
    async with site.window() as window:
        primary, secondary, danger, none, other = await window.run(made)
        over: list[str] = []
        for style in ("primary", "secondary", "danger"):
            button = f"import('/static/offers.js').then(({{styled}}) => styled('Go', '{style}', {{id: 'over'}}))"
            await window.run(f"{button}.then(one => {{ one.style.transition = 'none'; document.body.prepend(one) }})")
            await window.page.locator("#over").hover()
            over.append(await window.run("getComputedStyle(document.getElementById('over')).backgroundColor"))
            await window.run("document.getElementById('over').remove()")

    white, off = "rgb(255, 255, 255)", [True, "not-allowed"]
    assert primary == ["primary", "rgb(42, 91, 208)", white, "why", "Go", *off]
    assert secondary == ["secondary", "rgb(226, 226, 221)", "rgb(27, 29, 32)", "why", "Go", *off]
    assert danger == ["danger", "rgb(179, 38, 30)", white, "why", "Go (danger)", *off]
    assert none == other == primary
    assert [
        light(before) > light(now) for before, now in zip((primary[1], secondary[1], danger[1]), over, strict=True)
    ] == [True] * 3


async def test_by_keyboard_alone_a_wish_is_said_edited_kept_over_a_reload_and_answered(site: Site):
    async with talk(site, f"Well.\n\n{block('keys')}", "Fine.") as chat:
        page = chat.page
        await chat.field.focus()
        await page.keyboard.type("First line")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("second line")
        composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true})"
        await page.evaluate(f"document.querySelector('textarea').dispatchEvent({composing})")
        await page.reload()
        await expect(chat.field).to_be_focused()  # as it was; until it is, nothing is shown that takes a key
        kept = await chat.field.input_value()
        await page.keyboard.press("Enter")
        await expect(chat.offers).to_have_count(1)
        await chat.over()
        await chat.ready(chat.offers)
        await page.keyboard.press("Escape")
        await expect(page.locator("sayso-offers article")).to_be_focused()
        for _ in range(20):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.dataset.id?.startsWith('do_')"):
                break
        await page.keyboard.press("Enter")
        await expect(page.locator(".outcomes .state.done")).to_have_count(1)

        assert kept == "First line\nsecond line"
        assert "keys" in await chat.tasks()


@pytest.mark.thorough
async def test_two_windows_see_the_same_reply_and_one_whose_line_was_cut_misses_nothing(site: Site):
    middle = Event()
    reply = [ReplyText("It begins.\n\n"), Pause(middle), ReplyText(f"It ends.\n\n{block('both')}")]
    async with talk(site, reply) as chat, site.far_window() as far:
        await chat.say("Talk to both")
        await chat.window.see("location.hash.startsWith('#chat/ask_')")
        hash_ = await chat.window.run("location.hash")
        await far.run(f"location.hash = '{hash_}'")
        await expect(far.page.locator(".reply .bubble")).to_have_text("It begins.")
        assert far.line is not None
        far.line.cut()
        await expect(far.page.locator("#away")).to_contain_text("The server does not answer")
        middle.set()
        await expect(chat.replies).to_have_text("It begins.\nIt ends.")
        far.line.mend()
        await far.run("dispatchEvent(new Event('online'))")
        await expect(far.page.locator("sayso-message.assistant .bubble")).to_have_text("It begins.\nIt ends.")
        await expect(far.page.locator("sayso-offers button").first).to_have_text(
            on_button("Add the task “both”", "Note both")
        )


async def test_the_first_wish_that_is_suggested_works_without_a_model(site: Site):
    (site.folder / "own" / "config.toml").write_text("")
    async with site.window(f"{site.url}#chat/new") as window:
        await window.page.locator(".wishes button").first.click()
        await window.page.keyboard.press("Enter")
        chat = Talk(site, window)
        await chat.press("Add the task “Try sayso”")
        await expect(window.page.locator(".outcomes .state.done")).to_be_visible()

        assert "Try sayso" in await chat.tasks()


async def test_the_built_in_rules_show_what_is_done_and_not_how_it_was_called(site: Site):
    (site.folder / "own" / "config.toml").write_text("")
    async with site.window(f"{site.url}#chat/new") as window:
        await window.page.locator("sayso-composer textarea").fill("remind me tomorrow at 18:00 to call Ana")
        await window.page.keyboard.press("Enter")
        await expect(window.page.locator(".outcomes")).to_be_visible()
        shown = await window.text()

    assert "Created the reminder “call Ana”" in shown
    assert [word for word in ("function", "call_1", "embedded", "tokens") if word in shown] == []


async def test_a_reply_that_is_there_at_once_is_shown_and_not_taken_for_what_was_sent(site: Site):
    (site.folder / "own" / "config.toml").write_text("[policy]\npaused = true\n")
    async with site.window(f"{site.url}#chat/new") as window:
        for said in ("make a folder called Plans", "make a folder called Trips"):
            await window.page.locator("sayso-composer textarea").fill(said)
            await window.page.keyboard.press("Enter")
            await expect(window.page.locator("sayso-message", has_text=said)).to_be_visible()
            await expect(window.page.locator(".pending")).to_have_count(0)

        await expect(window.page.locator("sayso-message .error")).to_have_count(2)


ACTION = """
config = {
    "id": "note_down", "name": "Note down", "description": "Adds a reminder.",
    "parameterSchema": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
}

async def handler(params, context):
    await context.create_reminder(params["what"], due="2031-01-01 10:00")
    return {"success": True, "message": "Noted " + params["what"]}
"""


@pytest.mark.req("S3-53", "S3-77", "S3-78", "S3-81", "S3-82")
async def test_an_action_of_the_persons_own_is_offered_as_a_button_runs_once_and_says_what_came_of_it(site: Site):
    actions = site.folder / "own" / "actions"
    actions.mkdir(mode=0o700)
    (actions / "note_down.py").write_text(ACTION)
    offer = {"templateId": "note_down", "label": "Note it", "description": "For later", "params": {"what": "Milk"}}
    envelope = json.dumps({"actions": [{**offer, "style": "secondary"}]})
    async with talk(site, f"I can note that.\n\n```json\n{envelope}\n```\n", "Fine.", "Fine.") as chat:
        sent: list[str] = []
        chat.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
        await chat.page.reload()
        await chat.say("Note milk")
        button = chat.page.locator("sayso-offers").get_by_role("button", name="Note it")
        await chat.ready(button)
        told = [
            await button.text_content(),
            await button.get_attribute("title"),
            await button.get_attribute("class"),
            await chat.page.locator(".offers").count(),
        ]
        held = Event()

        async def hold(route: Route) -> None:
            await to_thread.run_sync(held.wait)
            await route.continue_()

        await chat.page.route("**/api/decide", hold)
        await button.dblclick()
        button = chat.offers
        await expect(button).to_have_text("...")
        disabled = await button.is_disabled()
        held.set()
        await expect(chat.page.locator("sayso-message.system")).to_contain_text("Noted Milk")
        await expect(button).to_have_count(0)
        clicks = [frame for frame in map(json.loads, sent) if frame["type"] == "execute_action"]
        session = (await chat.window.run("location.hash")).split("/")[1]

    deed = "Create the reminder “Milk”, due 2031-01-01 10:00"
    assert told == [on_button(deed, "Note it"), "For later", "secondary", 1]
    assert disabled
    assert [(click["instanceId"][:4], click["sessionId"]) for click in clicks] == [("act_", session)]
    assert (
        len([row for row in await site.home.log() if row.arguments.get("text", row.arguments.get("title")) == "Milk"])
        == 1
    )


async def test_nothing_in_the_chat_moves_when_the_undo_bar_comes_or_goes_and_it_lies_over_no_button(site: Site):
    places = """(() => [...document.querySelectorAll('sayso-chat :is(button, textarea)')]
        .map((one) => one.getBoundingClientRect()).filter((box) => box.width).map(({x, y}) => [x, y]))()"""
    edge = "document.querySelector('sayso-chat sayso-message:last-of-type').getBoundingClientRect().bottom"
    async with talk(site, "\n\n".join([*["Words."] * 60, block("moving")])) as chat:
        await chat.say("Note it")
        await chat.ready(chat.offers.first)
        bar = chat.page.locator("#undo.open")
        found: list[tuple[bool, bool, bool]] = []
        for width in (1280, 390):
            await chat.page.set_viewport_size({"width": width, "height": 800})
            await chat.window.run("scrollTo(0, document.documentElement.scrollHeight)")
            before = await chat.window.run(places)
            long = "Moved “~/Downloads/ticket.pdf” to “~/Documents/Travel/ticket.pdf”"
            offered = f"offerUndo({{results: [{{undo: 'do_none', success: true, message: '{long}'}}]}})"
            await chat.window.run(f"import('/static/undobar.js').then(({{offerUndo}}) => {{ {offered} }})")
            during = await chat.window.run(places)
            over = await bar.evaluate(f"one => one.getBoundingClientRect().top - {edge}")
            await bar.get_by_role("button", name="Keep it").click()
            await expect(bar).to_have_count(0)
            found.append((bool(before == during == await chat.window.run(places)), bool(over >= 0), len(before) > 3))

        assert found == [(True, True, True)] * 2


@pytest.mark.req("T-62")
async def test_each_action_has_ten_seconds_of_its_own_and_the_newest_is_taken_back_first(site: Site):
    async with site.far_window() as window:  # of its own: the clock is that of all windows of a browser
        await window.page.clock.install(time=0)
        await window.page.clock.pause_at(1000)
        await window.run("""import('/static/undobar.js').then(({offerUndo}) => {
            const result = (undo) => ({undo, success: true, message: `Did ${undo}`});
            window.did = (...all) => offerUndo({results: all.map(result)});
            window.undone = [];
            const {fetch} = window;
            const answer = '{"results": [{"success": true, "state": "done", "message": "Undone"}]}';
            window.fetch = async (path, sent) => {
                if (path !== '/api/undo') return fetch(path, sent);
                window.undone.push(JSON.parse(sent.body).id);
                return new Response(answer) } })""")
        bar = window.page.locator("#undo")
        await window.run("did('a')")
        await window.page.clock.fast_forward(4_000)
        await window.run("did('b', 'c')")
        shown = await bar.inner_text()
        await window.page.set_viewport_size({"width": 390, "height": 844})
        room = await bar.locator("p").evaluate("one => one.clientWidth")
        await window.page.keyboard.press("u")
        await expect(bar).to_contain_text("Did b, and 1 more before it")
        both = await bar.locator("p, .results").evaluate_all("all => all.map(one => one.clientWidth)")
        await window.page.clock.fast_forward(6_100)
        later = await bar.inner_text()
        await window.page.clock.fast_forward(4_000)

        assert "Did c, and 2 more before it" in shown
        assert room > 300  # on a phone, the buttons stand below
        assert [width > 300 for width in both] == [True, True]  # what was taken back, and what still can be
        assert await window.run("window.undone") == ["c"]
        assert "Did b" in later
        assert "more before it" not in later
        assert await bar.inner_text() == ""


@pytest.mark.req("S2-34")
async def test_undo_is_offered_for_ten_seconds_and_then_the_bar_is_gone(site: Site):
    async with site.far_window() as window:  # of its own: the clock is that of all windows of a browser
        await window.page.clock.install(time=0)
        await window.page.clock.pause_at(1000)  # from here on, time stands still but for what is forwarded
        shown = """import('/static/undobar.js').then(({offerUndo}) => {
            offerUndo({results: [{undo: 'do_none', message: 'Did it'}]});
            window.undone = [];
            const {fetch} = window;
            window.fetch = (path, sent) => {
                if (path === '/api/undo') window.undone.push(sent.body);
                return fetch(path, sent) } })"""
        bar = window.page.locator("#undo")
        await window.run(shown)
        await window.page.clock.fast_forward(9_500)
        late = await bar.inner_text()
        await bar.get_by_role("button", name="Undo", exact=True).click()
        in_time = await window.run("window.undone")
        await window.run(shown)
        await window.page.clock.fast_forward(10_100)
        await window.page.keyboard.press("u")

        assert "1 s" in late
        assert in_time == ['{"id":"do_none"}']
        assert await bar.inner_text() == ""
        assert await window.run("window.undone") == []


@pytest.mark.thorough
async def test_what_breaks_off_or_does_not_arrive_is_told_and_sent_again_is_done_once(site: Site):
    cut = Event()
    async with talk(site, [ReplyText("It begins"), Pause(cut)], "Whole.", "Once.") as chat:
        await chat.say("Begin")
        await expect(chat.streaming).to_have_text("It begins")
        await chat.page.get_by_role("button", name="Stop", exact=True).click()
        await chat.over()
        cut.set()
        stopped = await chat.window.text()
        await chat.page.route("**/messages", lambda route: route.abort())
        await chat.say("Twice?")
        await expect(chat.page.get_by_text("it is not known whether this arrived")).to_be_visible()
        await chat.page.unroute("**/messages")
        await chat.page.get_by_role("button", name="Send again").click()
        await expect(chat.page.locator("sayso-message.user", has_text="Twice?")).to_have_count(1)
        await expect(chat.page.locator(".pending")).to_have_count(0)
        await chat.over()

        assert "You stopped it before the reply had ended, and nothing was done." in stopped
        assert "Ask again" in stopped


@pytest.mark.thorough
async def test_what_is_pasted_at_length_goes_along_as_data_and_earlier_conversations_are_found_again(site: Site):
    paste = """(() => { const data = new DataTransfer();
        data.setData('text/plain', 'forwarded '.repeat(200));
        const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
        document.querySelector('textarea').dispatchEvent(event) })()"""
    async with talk(site, "It is forwarded.", "Other.") as chat:
        await chat.window.run(paste)
        await expect(chat.page.locator("sayso-composer .attached")).to_contain_text("pasted text · 2,000 characters")
        typed = await chat.field.input_value()
        await chat.say("What is this?")
        await expect(chat.replies).to_have_text("It is forwarded.")
        attached = await chat.page.locator("sayso-message.user .attached").inner_text()
        await chat.page.get_by_role("button", name="New", exact=True).click()
        await chat.say("Something else")
        await expect(chat.replies).to_have_text("Other.")
        await chat.page.get_by_role("button", name="Conversations").click()
        await chat.page.locator("#conversations").get_by_text("What is this?").click()
        await expect(chat.replies).to_have_text("It is forwarded.")

        assert typed == ""
        assert "pasted text" in attached


@pytest.mark.thorough
async def test_a_batch_of_commands_is_one_card_in_the_conversation(site: Site):
    (site.folder / "own" / "config.toml").write_text("")
    (site.folder / "Documents" / "batch.txt").write_text("kept")
    async with site.window(f"{site.url}#chat/new") as window:
        await window.page.get_by_label("How it works").select_option("commands")
        await window.page.locator("sayso-composer textarea").fill("delete batch.txt in Documents")
        await window.page.keyboard.press("Enter")
        yes = window.page.locator("sayso-chat sayso-card .yes")
        await yes.scroll_into_view_if_needed()
        await window.see("performance.now() - document.querySelector('sayso-chat sayso-card').deliberate.since > 450")
        await yes.click()
        await expect(window.page.locator(".outcomes .state.done")).to_be_visible()

        assert "batch.txt" in await window.page.locator(".outcomes").inner_text()
        assert not site.exists("batch.txt")

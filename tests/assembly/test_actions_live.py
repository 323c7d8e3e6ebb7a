"""In a home that stays open, what is in the folder of own actions now counts: in prompts, in lists and in runs."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.actions import Wanted
from sayso.assembly.instances import Offers
from sayso.core.proposal import Origin, Proposal
from sayso.testing.model_server import playing
from tests.journeys.ground import yes
from tests.templates.actions import CONFIG

BODY = "\n\ndef handler(params, context):\n    return {'success': True, 'message': 'ok'}\n"
SECRET = CONFIG.replace('"properties": {}', '"properties": {"word": {"type": "string", "secret": True}}') + BODY


def opened(place: Path, settings: str = "") -> AbstractAsyncContextManager[Home]:
    own = place / "own"
    (own / "actions").mkdir(parents=True, exist_ok=True)
    own.chmod(0o700)
    (own / "config.toml").write_text(settings)
    return sayso.open_home(str(own), environ={"HOME": str(place)})


@pytest.mark.req("S3-85", "S3-60")
async def test_the_next_prompt_lists_an_action_that_came_and_none_that_is_broken(tmp_path: Path):
    file = tmp_path / "own" / "actions" / "tidy-up.py"
    with playing("Hello") as server:
        async with opened(tmp_path, f'[model]\nname = "openai-compatible:tiny"\nurl = "{server.url}"\n') as home:
            await home.ask("hello", "chat")
            file.write_text(CONFIG + BODY)
            await home.ask("hello", "chat")
            listed = str((await home.run("TEMPLATE_LIST")).outcomes[0].data)
            file.write_text("config = {")
            await home.ask("hello", "chat")

    assert ["Tidies up." in str(heard.body) for heard in server.heard] == [False, True, False]
    assert "'tidy'" in listed


@pytest.mark.req("T-79", "T-92")
async def test_an_action_that_is_withdrawn_while_it_is_offered_is_logged_without_what_was_secret(tmp_path: Path):
    async with opened(tmp_path) as home:
        file = home.settings.places.actions / "tidy-up.py"
        file.write_text(SECRET)
        offers = Offers(home)
        template = offers.library.get("tidy")
        proposal = Proposal(0, "", "template.run", {"word": "hunter2"}, instance_id="act_1", template_id="tidy")
        instance = await offers.make(template, proposal, Origin("actions", "chat", "session_x"))
        file.unlink()

        done = await offers.execute(instance, Wanted("session_x", yes()))
        kept = "".join(one.read_text() for one in home.settings.places.logs.iterdir())

    assert 'Template "tidy" not found' in str(done.result["message"])
    assert ("hunter2" in kept, '"instanceId":"act_1"' in kept) == (False, True)

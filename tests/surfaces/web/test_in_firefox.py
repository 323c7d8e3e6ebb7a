"""The main journey in a real Firefox: a wish is written, its card said yes to, found in the history, and taken back."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

import sayso
from tests.desktop_env.firefox import Firefox, Speaking
from tests.desktop_env.session import Session, wait_for
from tests.web_env.page import serving

pytestmark = [pytest.mark.needs("firefox-esr"), pytest.mark.thorough]


@pytest.fixture
def firefox() -> Iterator[Firefox]:
    session = Session()
    try:
        yield Firefox(session)
    finally:
        session.close()


class Person:
    """Somebody who sees one tab, and has a mouse and keys."""

    def __init__(self, spoken: Speaking) -> None:
        self._spoken = spoken
        # In the first tab, the bar for addresses has the keyboard, so that its page is not in front for itself.
        self._tab = spoken.call("browsingContext.create", type="tab")["context"]

    def go(self, url: str) -> None:
        """Show an address."""
        self._spoken.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def sees(self, text: str) -> None:
        """Wait until the page shows a text."""
        wait_for(lambda: text in self._spoken.aside(self._tab, "document.body.innerText"), f"“{text}”")

    def click(self, selector: str, text: str = "") -> None:
        """Click on the first element that is seen and has a text."""
        shown = self._shown(selector, text)
        wait_for(lambda: self._spoken.aside(self._tab, f"Boolean({shown})"), f"{selector} {text}")
        self._press(shown)

    def means(self, selector: str, done: str) -> None:
        """Click on what has to be meant, once more if that was too fast, until the page says that it is done."""

        def answered() -> bool:
            if done in self._spoken.aside(self._tab, "document.body.innerText"):
                return True
            with suppress(RuntimeError):  # it is gone once a click has counted
                self._press(self._shown(selector))
            return False

        wait_for(answered, f"“{done}”")

    def type(self, text: str) -> None:
        """Type a text, and Enter."""
        keys = [{"type": kind, "value": key} for key in (*text, "\ue007") for kind in ("keyDown", "keyUp")]
        self._act("key", keys)

    def _press(self, shown: str) -> None:
        """Click on an element now. Raises `RuntimeError` if it is not there."""
        place = f"(() => {{ const one = {shown}; one.scrollIntoView({{block: 'center'}}); return one }})()"
        target = {"context": self._tab, "sandbox": "tests"}
        found = self._spoken.call("script.evaluate", expression=place, target=target, awaitPromise=False)
        if found["type"] != "success":
            raise RuntimeError(found["exceptionDetails"]["text"])
        origin = {"type": "element", "element": {"sharedId": found["result"]["sharedId"]}}
        presses = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act("pointer", [{"type": "pointerMove", "x": 0, "y": 0, "origin": origin}, *presses])

    def _act(self, kind: str, actions: list[Any]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self._spoken.call("input.performActions", context=self._tab, actions=[source])

    @staticmethod
    def _shown(selector: str, text: str = "") -> str:
        fits = f"one.checkVisibility() && one.textContent.includes({text!r})"
        return f"[...document.querySelectorAll({selector!r})].find(one => {fits})"


def journey(firefox: Firefox, url: str, file: Path) -> list[bool]:
    """Delete a file by words, and take that back; return at each step whether it is there."""
    there: list[bool] = []
    with firefox.speaking() as spoken:
        person = Person(spoken)
        person.go(url)
        person.sees("Say what you want done")
        person.click("sayso-composer textarea")
        person.type(f"delete {file.name} in Documents")
        person.sees("Way back:")
        there.append(file.exists())
        person.means(".offers button:not(.no)", "done")
        wait_for(lambda: not file.exists(), "the deletion")
        person.click("nav a", "History")
        person.sees(f"Delete “~/Documents/{file.name}”")
        there.append(file.exists())
        person.click("sayso-row button.undo")
        person.click("sayso-row button.yes", "Take it back")
        wait_for(file.exists, "the file")
        person.sees("taken back")
    return there


async def test_a_wish_becomes_a_card_a_yes_does_it_and_the_history_takes_it_back(firefox: Firefox, tmp_path: Path):
    for name in ("own", "Documents"):
        (tmp_path / name).mkdir(mode=0o700)
    file = tmp_path / "Documents" / "old.txt"
    file.write_text("kept")
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home, serving(home) as at:
        there = await to_thread.run_sync(journey, firefox, "{}#token={}".format(*at), file)
        states = [record.state.value for record in await home.log()]

    assert there == [True, False]
    assert file.read_text() == "kept"
    assert sorted(states) == ["done", "undone"]

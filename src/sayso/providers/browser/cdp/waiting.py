"""Wait for what a page goes to, and answer what it asks meanwhile."""

from sayso.providers.browser.cdp import said
from sayso.providers.browser.live.calling import Devtools, Event
from sayso.providers.browser.live.dialogs import Dialog

LOADING = 10.0


class Waiting:
    """What was heard of one page since this began."""

    def __init__(self, devtools: Devtools, session: str, frame: str) -> None:
        self._devtools = devtools
        self._session = session
        self._frame = frame
        self._going = False
        self.dialogs: list[Dialog] = []
        devtools.tell("Page.enable", session)
        devtools.tell("Page.setInterceptFileChooserDialog", session, enabled=True, cancel=True)
        self.stop = devtools.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.session != self._session:
            return
        match event.method:
            case "Page.frameStartedLoading" | "Page.frameStartedNavigating":
                self._going = self._going or event.read(said.InFrame).frame_id == self._frame
            case "Page.frameStoppedLoading":
                self._going = self._going and event.read(said.InFrame).frame_id != self._frame
            case "Page.javascriptDialogOpening":
                asked = event.read(Dialog)
                self.dialogs.append(asked)
                self._devtools.say("Page.handleJavaScriptDialog", self._session, accept=asked.type == "alert")
            case "Page.fileChooserOpened":
                self.dialogs.append(Dialog("file"))
            case _:
                pass

    def until_there(self) -> None:
        """Wait until the page that was gone to is there."""
        self._devtools.wait(lambda: not self._going, LOADING)

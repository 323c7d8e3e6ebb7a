"""Wait for what a page goes to, and answer what it asks meanwhile."""

from sayso.providers.browser.bidi import said
from sayso.providers.browser.live.calling import Devtools, Event
from sayso.providers.browser.live.dialogs import Dialog

LOADING = 10.0
OWN_WORDS = ("about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror")
EVENTS = (
    "browsingContext.navigationStarted", "browsingContext.load", "browsingContext.navigationFailed",
    "browsingContext.fragmentNavigated", "browsingContext.downloadWillBegin", "browsingContext.downloadEnd",
    "browsingContext.navigationCommitted", "browsingContext.userPromptOpened", "input.fileDialogOpened",
)  # fmt: skip


class Waiting:
    """What was heard of one tab since this began."""

    def __init__(self, calls: Devtools, context: str) -> None:
        self._calls = calls
        self._context = context
        self._going = False
        self._ended = 0
        self.dialogs: list[Dialog] = []
        self.downloads: list[str] = []
        """The addresses of files that a page was asked for and turned out to be."""
        self.stop = calls.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.method not in EVENTS or event.read(said.InContext).context != self._context:
            return
        match event.method:
            case "browsingContext.navigationStarted":
                self._going = True
            case "browsingContext.userPromptOpened":
                asked = event.read(said.Prompt)
                self.dialogs.append(Dialog(asked.type, asked.message))
                self._calls.say("browsingContext.handleUserPrompt", context=self._context, accept=asked.type == "alert")
            case "input.fileDialogOpened":
                self.dialogs.append(Dialog("file"))
            case "browsingContext.downloadWillBegin":
                self.downloads.append(event.read(said.Navigation).url)
                self._going = False
            case "browsingContext.downloadEnd":
                self._ended += 1
            case "browsingContext.navigationCommitted":
                # Its own words in place of a page end without being loaded.
                self._going = self._going and not event.read(said.Navigation).url.startswith(OWN_WORDS)
            case _:
                self._going = False

    def arrived(self) -> None:
        """Take it that the page that was gone to is there, or does not come."""
        self._going = False

    def until_there(self) -> None:
        """Wait until the page that was gone to is there, or the file."""
        self._calls.wait(lambda: not self._going and self._ended >= len(self.downloads), LOADING)

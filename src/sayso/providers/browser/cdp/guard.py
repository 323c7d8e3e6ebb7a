"""Keep a browser away from sayso's own pages while something is done in it (BR-01).

The browser that sayso starts is told on its command line, so that nothing in it ever gets there, between two actions
or in a service worker. One that was started without that is held while an action goes on: requests to those ports
are stopped before they are sent, in every page, frame and worker, those that open meanwhile included.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected
from sayso.providers.browser.live.calling import Event
from sayso.providers.browser.live.own import USUAL, leads_to

EVERYTHING = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
FURTHER = frozenset({"page", "iframe", "service_worker", "worker", "shared_worker"})
LINGERS = 0.3
"""Seconds after an action in which what its page begins is still stopped."""


def flag(ports: Iterable[int]) -> str:
    """Return the option that keeps a browser away from ports, whatever host they are on."""
    return "--host-resolver-rules=" + ", ".join(f"MAP *:{port} ~NOTFOUND" for port in sorted(ports))


@contextmanager
def guarded(now: Connected, ports: frozenset[int]) -> Generator[None]:
    """Keep the browser away from these ports while something is done in it, unless it was started to."""
    exposed = ports - now.kept_away
    if not exposed:
        yield
        return
    guard = now.guards.setdefault(exposed, Guard(now, exposed))
    guard.attach(waiting=True)
    try:
        yield
        now.devtools.wait(lambda: False, LINGERS)
    finally:
        guard.attach(waiting=False)


class Guard:
    """Stops what leads to ports. It goes on while the connection stands: what it stopped and nobody heard of stays so.

    Between two actions a page that opens is not made to wait, since nobody would let it go on.
    """

    def __init__(self, now: Connected, ports: frozenset[int]) -> None:
        self._now = now
        self._ports = ports
        self._patterns = [{"urlPattern": pattern} for port in sorted(ports) for pattern in _patterns(port)]
        self._sessions: set[str] = set()
        self._waiting = False
        now.devtools.listen(self._heard)

    def attach(self, *, waiting: bool) -> None:
        """Have every page, frame and worker told of, those to come too; with `waiting` they begin once that is done."""
        self._waiting = waiting
        for session in self._sessions:
            self._follow(session)
        self._now.devtools.tell(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=waiting, flatten=True, filter=EVERYTHING
        )

    def _follow(self, session: str) -> None:
        self._now.devtools.say(
            "Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=self._waiting, flatten=True
        )

    def _heard(self, event: Event) -> None:
        match event.method:
            case "Target.attachedToTarget":
                self._met(event.read(said.Attached))
            case "Target.detachedFromTarget":
                self._sessions.discard(event.read(said.Session).session_id)
            case "Fetch.requestPaused":
                self._decide(event.session, event.read(said.Paused))
            case _:
                pass

    def _met(self, attached: said.Attached) -> None:
        if attached.target_info.type == "tab":
            return
        devtools, session = self._now.devtools, attached.session_id
        devtools.say("Fetch.enable", session, patterns=self._patterns)
        if attached.target_info.type in FURTHER:
            self._sessions.add(session)
            self._follow(session)
        devtools.say("Runtime.runIfWaitingForDebugger", session)

    def _decide(self, session: str, paused: said.Paused) -> None:
        if leads_to(paused.request.url, self._ports):
            self._now.devtools.say(
                "Fetch.failRequest", session, requestId=paused.request_id, errorReason="BlockedByClient"
            )
        else:
            self._now.devtools.say("Fetch.continueRequest", session, requestId=paused.request_id)


def _patterns(port: int) -> tuple[str, ...]:
    usual = tuple(f"{scheme}://*" for scheme, known in USUAL.items() if known == port)
    return (f"*:{port}/*", f"*:{port}", *usual)

"""Keep a browser away from sayso's own pages while something is done in it (BR-01).

The browser that sayso starts is told on its command line, so that nothing in it ever gets there, between two actions
or in a service worker. One that was started without that is held while an action goes on: what leads to those ports is
stopped before it is sent, in every page, frame and worker, those that open meanwhile included. Between two actions
nothing is held, and a page of sayso's own that the person has open is left alone at all times.
"""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.session import Connected
from sayso.providers.browser.remote.connection import Devtools, Event, Lost, No
from sayso.providers.browser.remote.settings import USUAL, leads_to


def without_rules() -> str:
    """Return the script that takes the rules out of a page by which other pages are fetched in advance."""
    return _read("rules.js")


def worker_shield_script(ports: Iterable[int]) -> str:
    """Return the script that keeps what a worker asks for by its address away from ports."""
    return f"({_read('away.js')})(...{json.dumps(sorted(ports))})"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").strip()


EVERYTHING = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
FURTHER = frozenset({"page", "iframe", "service_worker", "worker", "shared_worker"})
THE_PERSONS = frozenset({"page", "service_worker", "shared_worker"})
"""What nobody but sayso's own page itself can have at its address."""
BY_SCRIPT = frozenset({"service_worker", "shared_worker"})
"""What the browser's own means do not stop all of: sockets, and what a service worker's new version asks for."""
RULES = {"urlPattern": "*", "resourceType": "Other", "requestStage": "Response"}
"""As what the rules come by which pages are fetched in advance, where they are not in the page."""
RULES_KIND = "application/speculationrules+json"
CUT_OFF = "Network.emulateNetworkConditionsByRule"
"""As what a WebSocket, which is no request that waits to be let through, is stopped."""
NONE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1, "offline": True}
QUIET, LINGERS = 0.5, 3.0
"""Seconds without anything new after which what an action began is over, and how long that is waited for at most."""
NEW = frozenset({"Target.attachedToTarget", "Fetch.requestPaused", "Network.requestWillBeSent"})
MET = 5.0
REFUSED = 0.1


def flag(ports: Iterable[int]) -> str:
    """Return the option that keeps a browser away from ports, whatever host they are on."""
    return "--host-resolver-rules=" + ", ".join(f"MAP *:{port} ~NOTFOUND" for port in sorted(ports))


def past_proxies(environ: Mapping[str, str], ports: Iterable[int]) -> dict[str, str]:
    """Return what keeps a proxy out of the way to these ports.

    What goes through one is not looked up by the browser, so the option would not keep it away.
    """
    told = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if told == "*":
        return {"no_proxy": told}
    return {"no_proxy": ",".join([*filter(None, [told]), *(f"*:{port}" for port in sorted(ports))])}


@contextmanager
def guard_ports(now: Connected, ports: frozenset[int]) -> Generator[None]:
    """Keep the browser away from these ports while something is done in it, unless it was started to."""
    exposed = ports - now.kept_away
    if not exposed:
        yield
        return
    guard = Guard(now.devtools, exposed)
    try:
        guard.begin()
        yield
    finally:
        guard.end()


class Guard:
    """Stops what leads to ports, from its beginning to its end."""

    def __init__(self, devtools: Devtools, ports: frozenset[int]) -> None:
        self._devtools = devtools
        self._ports = ports
        self._patterns = [RULES, *({"urlPattern": pattern} for port in sorted(ports) for pattern in _patterns(port))]
        self._rules = [{"urlPattern": url, **NONE} for port in sorted(ports) for url in _urls(port)]
        self._held = {""}
        """The sessions of what is held, and that of the browser."""
        self._pages: list[str] = []
        self._new = 0
        self._deaf: Callable[[], None] = devtools.listen(self._heard)

    def begin(self) -> None:
        """Have every page, frame and worker held; those to come begin once they are. Raises `ProviderError`."""
        self._attach(yes=True)
        if not self._devtools.wait(lambda: bool(self._pages), MET) or not self._can_be_held():
            raise ProviderError(
                "that browser was not started to keep away from sayso's own pages, and cannot be kept away from them "
                f"while something is done in it; start it with '{flag(self._ports)}'",
                "browser.exposed",
            )

    def end(self) -> None:
        """Let go of all of it, once what the action began has been stopped too."""
        with suppress(Lost):  # then nothing is held any more
            for _ in range(round(LINGERS / QUIET)):
                self._new = 0
                self._devtools.wait(lambda: False, QUIET)
                if not self._new:
                    break
            # What waits and nobody heard of yet goes on its way now, and is refused by the rules that still stand.
            for session in self._held - {""}:
                self._devtools.say("Fetch.disable", session)
            self._devtools.wait(lambda: False, REFUSED)
            self._attach(yes=False)
        self._deaf()

    def _attach(self, *, yes: bool) -> None:
        which = EVERYTHING if yes else None
        self._devtools.tell(
            "Target.setAutoAttach", autoAttach=yes, waitForDebuggerOnStart=yes, flatten=True, filter=which
        )

    def _can_be_held(self) -> bool:
        """Say whether this browser knows how to stop what is no plain request; all of one know it, or none."""
        try:
            self._devtools.tell(CUT_OFF, self._pages[0], offline=True, matchedNetworkConditions=self._rules)
        except No:
            return False
        return True

    def _heard(self, event: Event) -> None:
        if event.session not in self._held:
            return  # whoever else speaks to a page
        self._new += event.method in NEW
        match event.method:
            case "Target.attachedToTarget":
                self._shield_target(event.read(protocol.Attached))
            case "Fetch.requestPaused":
                self._decide(event.session, event.read(protocol.Paused))
            case _:
                pass

    def _shield_target(self, attached: protocol.Attached) -> None:
        target, session = attached.target_info, attached.session_id
        if target.type == "tab":
            return
        persons = target.type in THE_PERSONS and leads_to(target.url, self._ports)
        if not persons and target.type == "shared_worker" and attached.waiting_for_debugger:
            # Its sockets are stopped by nothing, so that it does not begin at all.
            self._devtools.say("Target.closeTarget", targetId=target.target_id)
            return
        if not persons:
            self._hold(session, target.type)
        self._devtools.say("Runtime.runIfWaitingForDebugger", session)

    def _hold(self, session: str, kind: str) -> None:
        say = self._devtools.say
        self._held.add(session)
        say("Fetch.enable", session, patterns=self._patterns)
        say("Network.enable", session, maxTotalBufferSize=0, maxResourceBufferSize=0)
        say(CUT_OFF, session, offline=True, matchedNetworkConditions=self._rules)
        if kind in FURTHER:
            say("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        if kind in BY_SCRIPT:
            say("Runtime.evaluate", session, expression=worker_shield_script(self._ports))
        if kind == "page":
            say("Page.enable", session)
            say("Page.setPrerenderingAllowed", session, isAllowed=False)
            say(
                "Page.addScriptToEvaluateOnNewDocument",
                session,
                source=without_rules(),
                worldName="sayso-guard",
                runImmediately=True,
            )
            self._pages.append(session)

    def _decide(self, session: str, paused: protocol.Paused) -> None:
        stopped = leads_to(paused.request.url, self._ports) or paused.kind.startswith(RULES_KIND)
        if stopped:
            self._devtools.say("Fetch.failRequest", session, requestId=paused.request_id, errorReason="BlockedByClient")
        else:
            self._devtools.say("Fetch.continueRequest", session, requestId=paused.request_id)


def _patterns(port: int) -> tuple[str, ...]:
    usual = tuple(f"{scheme}://*" for scheme, known in USUAL.items() if known == port)
    return (f"*:{port}/*", f"*:{port}", *usual)


def _urls(port: int) -> tuple[str, ...]:
    """Return what the addresses on a port look like; where it is the usual one of a scheme, none is named."""
    usual = tuple(f"{scheme}://*/*" for scheme, known in USUAL.items() if known == port)
    return (f"*://*:{port}/*", *usual)

"""Keep a browser away from sayso's own pages while something is done in it (BR-01).

The browser that sayso starts gets an option on its command line, so that nothing in it ever gets there, not between two
actions and not from a service worker. One that was started without the option is held while an action goes on: requests
to those ports are stopped before they are sent, in every page, frame and worker, also in those that open meanwhile.
Between two actions nothing is held, and a page of sayso's own that the person has open is always left alone.
"""

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.remote.connection import CallError, ConnectionLost, ProtocolClient, ProtocolEvent
from sayso.providers.browser.remote.settings import DEFAULT_PORTS, leads_to


def prefetch_shield_script() -> str:
    """Return the script that takes out of a page the rules by which other pages are fetched in advance."""
    return _read("rules.js")


def worker_shield_script(ports: Iterable[int]) -> str:
    """Return the script that keeps a worker from asking for addresses on these ports."""
    return f"({_read('away.js')})(...{json.dumps(sorted(ports))})"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").strip()


ALL_TARGETS = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
HAVE_TARGETS = frozenset({"page", "iframe", "service_worker", "worker", "shared_worker"})
"""What may open further targets of its own."""
OWN_KINDS = frozenset({"page", "service_worker", "shared_worker"})
"""What only sayso's own page can have at its address: the person has it open, and it is left alone."""
SCRIPTED = frozenset({"service_worker", "shared_worker"})
"""What needs a script beside the browser's own means, which miss sockets and a service worker's new version."""
PREFETCH_RULES = {"urlPattern": "*", "resourceType": "Other", "requestStage": "Response"}
"""The answers that may hold rules by which pages are fetched in advance, if those are not in the page itself."""
PREFETCH_TYPE = "application/speculationrules+json"
SET_OFFLINE = "Network.emulateNetworkConditionsByRule"
"""The method that stops WebSockets, which are no requests that wait to be let through."""
OFFLINE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1, "offline": True}
QUIET, MOST_QUIETS = 0.5, 6
"""After how many seconds without anything new an action is over, and how many such spans are waited at most."""
NEW = frozenset({"Target.attachedToTarget", "Fetch.requestPaused", "Network.requestWillBeSent"})
ATTACHING, REFUSING = 5.0, 0.1


def keep_away_option(ports: Iterable[int]) -> str:
    """Return the option that keeps a browser away from ports, whatever their host is called."""
    return "--host-resolver-rules=" + ", ".join(f"MAP *:{port} ~NOTFOUND" for port in sorted(ports))


def proxy_exceptions(environ: Mapping[str, str], ports: Iterable[int]) -> dict[str, str]:
    """Return the environment in which requests to these ports go through no proxy.

    A browser does not look up the name of a host that it asks a proxy for, so that the option would have no effect.
    """
    named = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if named == "*":
        return {"no_proxy": named}
    return {"no_proxy": ",".join([*filter(None, [named]), *(f"*:{port}" for port in sorted(ports))])}


@contextmanager
def guard_ports(client: ProtocolClient, ports: frozenset[int]) -> Generator[None]:
    """Keep the browser away from these ports while something is done in it."""
    if not ports:
        yield
        return
    guard = Guard(client, ports)
    try:
        guard.begin()
        yield
    finally:
        guard.end()


class Guard:
    """Stops what leads to these ports, from `begin` to `end`."""

    def __init__(self, client: ProtocolClient, ports: frozenset[int]) -> None:
        self._client = client
        self._ports = ports
        self._patterns = [
            PREFETCH_RULES,
            *({"urlPattern": pattern} for port in sorted(ports) for pattern in _patterns(port)),
        ]
        self._rules = [{"urlPattern": url, **OFFLINE} for port in sorted(ports) for url in _urls(port)]
        self._held = {""}
        """The sessions of the targets that are held, and the browser's own."""
        self._pages: list[str] = []
        self._new = 0
        self._stop_listening = client.listen(self._hear)

    def begin(self) -> None:
        """Hold every page, frame and worker; new ones begin only once they are held. Raises `ProviderError`."""
        self._attach(yes=True)
        if not self._client.wait(lambda: bool(self._pages), ATTACHING) or not self._can_be_held():
            raise ProviderError(
                "that browser was not started to keep away from sayso's own pages, and cannot be kept away from them "
                f"while something is done in it; start it with '{keep_away_option(self._ports)}'",
                "browser.exposed",
            )

    def end(self) -> None:
        """Let go of everything, once what the action began has been stopped too."""
        with suppress(ConnectionLost):  # then nothing is held any more
            for _ in range(MOST_QUIETS):
                self._new = 0
                self._client.pause(QUIET)
                if not self._new:
                    break
            # Requests that wait and were not heard of yet go on now, and are refused by the rules that still stand.
            for session in self._held - {""}:
                self._client.post("Fetch.disable", session)
            self._client.pause(REFUSING)
            self._attach(yes=False)
        self._stop_listening()

    def _attach(self, *, yes: bool) -> None:
        which = ALL_TARGETS if yes else None
        self._client.run("Target.setAutoAttach", autoAttach=yes, waitForDebuggerOnStart=yes, flatten=True, filter=which)

    def _can_be_held(self) -> bool:
        """Say whether this browser can stop what is no plain request; all its pages can, or none."""
        try:
            self._client.run(SET_OFFLINE, self._pages[0], offline=True, matchedNetworkConditions=self._rules)
        except CallError:
            return False
        return True

    def _hear(self, event: ProtocolEvent) -> None:
        if event.session not in self._held:
            return  # it comes from another session with a page
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
        is_own = target.type in OWN_KINDS and leads_to(target.url, self._ports)
        if not is_own and target.type == "shared_worker" and attached.waiting_for_debugger:
            # Nothing stops its sockets, so it must not begin at all.
            self._client.post("Target.closeTarget", targetId=target.target_id)
            return
        if not is_own:
            self._hold(session, target.type)
        self._client.post("Runtime.runIfWaitingForDebugger", session)

    def _hold(self, session: str, kind: str) -> None:
        post = self._client.post
        self._held.add(session)
        post("Fetch.enable", session, patterns=self._patterns)
        post("Network.enable", session, maxTotalBufferSize=0, maxResourceBufferSize=0)
        post(SET_OFFLINE, session, offline=True, matchedNetworkConditions=self._rules)
        if kind in HAVE_TARGETS:
            post("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        if kind in SCRIPTED:
            post("Runtime.evaluate", session, expression=worker_shield_script(self._ports))
        if kind == "page":
            post("Page.enable", session)
            post("Page.setPrerenderingAllowed", session, isAllowed=False)
            post(
                "Page.addScriptToEvaluateOnNewDocument",
                session,
                source=prefetch_shield_script(),
                worldName="sayso-guard",
                runImmediately=True,
            )
            self._pages.append(session)

    def _decide(self, session: str, paused: protocol.Paused) -> None:
        stopped = leads_to(paused.request.url, self._ports) or paused.kind.startswith(PREFETCH_TYPE)
        if stopped:
            self._client.post("Fetch.failRequest", session, requestId=paused.request_id, errorReason="BlockedByClient")
        else:
            self._client.post("Fetch.continueRequest", session, requestId=paused.request_id)


def _patterns(port: int) -> tuple[str, ...]:
    usual = tuple(f"{scheme}://*" for scheme, known in DEFAULT_PORTS.items() if known == port)
    return (f"*:{port}/*", f"*:{port}", *usual)


def _urls(port: int) -> tuple[str, ...]:
    """Return the patterns of addresses on a port; a scheme does not name the port that is its default."""
    usual = tuple(f"{scheme}://*/*" for scheme, known in DEFAULT_PORTS.items() if known == port)
    return (f"*://*:{port}/*", *usual)

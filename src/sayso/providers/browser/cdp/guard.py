"""Keep a browser away from sayso's own pages during an action (BR-01).

The browser that sayso starts gets an option on its command line. With this option nothing in the browser can reach
these pages at any time, not even a service worker. A browser that was started without the option is guarded during each
action: requests to the ports are blocked before they are sent, in every page, frame and worker, including those that
open during the action. Between two actions nothing is blocked. A page of sayso's own that the person has open is never
touched.
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
    """Return the script that removes speculation rules from a page, so that it does not load other pages in advance."""
    return _read("rules.js")


def worker_shield_script(ports: Iterable[int]) -> str:
    """Return the script that makes requests of a worker to these ports fail."""
    return f"({_read('away.js')})(...{json.dumps(sorted(ports))})"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").strip()


ALL_TARGETS = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
HAVE_TARGETS = frozenset({"page", "iframe", "service_worker", "worker", "shared_worker"})
"""Kinds of targets that can open further targets."""
OWN_KINDS = frozenset({"page", "service_worker", "shared_worker"})
"""Kinds of targets that are not guarded if their address is on these ports.

They belong to sayso's page, which the person has opened.
"""
SCRIPTED = frozenset({"service_worker", "shared_worker"})
"""Kinds of workers that need a script too, because the browser's blocking misses sockets and new service workers."""
PREFETCH_RULES = {"urlPattern": "*", "resourceType": "Other", "requestStage": "Response"}
"""Pattern of the responses in which a page may get speculation rules from a separate file."""
PREFETCH_TYPE = "application/speculationrules+json"
SET_OFFLINE = "Network.emulateNetworkConditionsByRule"
"""The method that blocks WebSockets, which `Fetch` does not pause."""
OFFLINE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1, "offline": True}
QUIET, MOST_QUIETS = 0.5, 6
"""Seconds without new events after which an action is over, and the most such periods to wait for."""
NEW = frozenset({"Target.attachedToTarget", "Fetch.requestPaused", "Network.requestWillBeSent"})
ATTACHING, REFUSING = 5.0, 0.1


def keep_away_option(ports: Iterable[int]) -> str:
    """Return the command-line option that makes a browser refuse these ports, for every host name."""
    return "--host-resolver-rules=" + ", ".join(f"MAP *:{port} ~NOTFOUND" for port in sorted(ports))


def proxy_exceptions(environ: Mapping[str, str], ports: Iterable[int]) -> dict[str, str]:
    """Return environment variables with which requests to these ports use no proxy.

    A browser does not resolve the host name of a request that it sends to a proxy, so the command-line option would not
    block the request.
    """
    named = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if named == "*":
        return {"no_proxy": named}
    return {"no_proxy": ",".join([*filter(None, [named]), *(f"*:{port}" for port in sorted(ports))])}


@contextmanager
def guard_ports(client: ProtocolClient, ports: frozenset[int]) -> Generator[None]:
    """Keep the browser away from these ports during the block."""
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
    """Blocks requests to these ports from `begin` to `end`."""

    def __init__(self, client: ProtocolClient, ports: frozenset[int]) -> None:
        self._client = client
        self._ports = ports
        self._patterns = [
            PREFETCH_RULES,
            *({"urlPattern": pattern} for port in sorted(ports) for pattern in _patterns(port)),
        ]
        self._rules = [{"urlPattern": url, **OFFLINE} for port in sorted(ports) for url in _urls(port)]
        self._held = {""}
        """Sessions of the guarded targets; the empty string is the browser's own session."""
        self._pages: list[str] = []
        self._new = 0
        self._stop_listening = client.listen(self._hear)

    def begin(self) -> None:
        """Guard every page, frame and worker; new ones start only after they are guarded.

        Raises `ProviderError` if the browser cannot be guarded.
        """
        self._attach(yes=True)
        if not self._client.wait(lambda: bool(self._pages), ATTACHING) or not self._can_be_held():
            raise ProviderError(
                "that browser was not started to keep away from sayso's own pages, and cannot be kept away from them "
                f"while something is done in it; start it with '{keep_away_option(self._ports)}'",
                "browser.exposed",
            )

    def end(self) -> None:
        """Stop guarding; first wait until requests that the action caused have been blocked."""
        with suppress(ConnectionLost):  # the browser has ended, so nothing is guarded
            for _ in range(MOST_QUIETS):
                self._new = 0
                self._client.pause(QUIET)
                if not self._new:
                    break
            # Requests that are still paused, and for which no event was received, go on now. The offline rules are
            # still active and refuse them.
            for session in self._held - {""}:
                self._client.post("Fetch.disable", session)
            self._client.pause(REFUSING)
            self._attach(yes=False)
        self._stop_listening()

    def _attach(self, *, yes: bool) -> None:
        which = ALL_TARGETS if yes else None
        self._client.run("Target.setAutoAttach", autoAttach=yes, waitForDebuggerOnStart=yes, flatten=True, filter=which)

    def _can_be_held(self) -> bool:
        """Return whether this browser can block WebSockets; asking one page is enough, because all pages are alike."""
        try:
            self._client.run(SET_OFFLINE, self._pages[0], offline=True, matchedNetworkConditions=self._rules)
        except CallError:
            return False
        return True

    def _hear(self, event: ProtocolEvent) -> None:
        if event.session not in self._held:
            return  # it belongs to a session that this guard did not open
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
            # Its sockets cannot be blocked, so the worker must not start at all.
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
    """Return the URL patterns of a port; for a scheme's default port, also patterns without a port."""
    usual = tuple(f"{scheme}://*/*" for scheme, known in DEFAULT_PORTS.items() if known == port)
    return (f"*://*:{port}/*", *usual)

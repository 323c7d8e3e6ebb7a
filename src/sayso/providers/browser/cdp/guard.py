"""Keep a browser away from sayso's own pages while something is done in it (BR-01).

The browser that sayso starts is told on its command line, so that nothing in it ever gets there, between two actions
or in a service worker. One that was started without that is held while an action goes on: requests to those ports
are stopped before they are sent, in every page, frame and worker, those that open meanwhile included.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from urllib.parse import urlsplit

from sayso.core.errors import Refused
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.calling import Event
from sayso.providers.browser.cdp.chromium import Connected

EVERYTHING = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
FURTHER = frozenset({"page", "iframe", "service_worker", "worker", "shared_worker"})
USUAL = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def flag(ports: Iterable[int]) -> str:
    """Return the option that keeps a browser away from ports, whatever host they are on."""
    return "--host-resolver-rules=" + ", ".join(f"MAP *:{port} ~NOTFOUND" for port in sorted(ports))


def leads_to(url: str, ports: frozenset[int]) -> bool:
    """Say whether an address is on one of these ports."""
    try:
        parts = urlsplit(url.partition("view-source:")[2] or url)
        port = parts.port
    except ValueError:
        return False
    return (port or USUAL.get(parts.scheme, 0)) in ports


def must_not_lead_to(url: str, ports: frozenset[int]) -> None:
    """Raise `Refused` for sayso's own page."""
    if leads_to(url, ports):
        raise own_page()


def own_page() -> Refused:
    """Return what is said of sayso's own page."""
    return Refused("that is where sayso's own page is, and no action reaches it", "url.own_page", "own page")


@contextmanager
def guarded(now: Connected, ports: frozenset[int]) -> Generator[None]:
    """Keep the browser away from these ports while something is done in it, unless it was started to."""
    exposed = ports - now.kept_away
    if not exposed:
        yield
        return
    devtools, stop = now.devtools, _stopping(now, exposed)
    deaf = devtools.listen(stop)
    try:
        devtools.tell(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True, filter=EVERYTHING
        )
        yield
    finally:
        deaf()
        devtools.say("Target.setAutoAttach", autoAttach=False, waitForDebuggerOnStart=False, flatten=True)


def _stopping(now: Connected, ports: frozenset[int]) -> Callable[[Event], None]:
    patterns = [{"urlPattern": pattern} for port in sorted(ports) for pattern in _patterns(port)]
    devtools = now.devtools

    def heard(event: Event) -> None:
        match event.method:
            case "Target.attachedToTarget":
                attached = event.read(said.Attached)
                devtools.say("Fetch.enable", attached.session_id, patterns=patterns)
                if attached.target_info.type in FURTHER:
                    devtools.say(
                        "Target.setAutoAttach",
                        attached.session_id,
                        autoAttach=True,
                        waitForDebuggerOnStart=True,
                        flatten=True,
                    )
                devtools.say("Runtime.runIfWaitingForDebugger", attached.session_id)
            case "Fetch.requestPaused":
                _decide(now, event.session, event.read(said.Paused), ports)
            case _:
                pass

    return heard


def _decide(now: Connected, session: str, paused: said.Paused, ports: frozenset[int]) -> None:
    if leads_to(paused.request.url, ports):
        now.devtools.say("Fetch.failRequest", session, requestId=paused.request_id, errorReason="BlockedByClient")
    else:
        now.devtools.say("Fetch.continueRequest", session, requestId=paused.request_id)


def _patterns(port: int) -> tuple[str, ...]:
    usual = tuple(f"{scheme}://*" for scheme, known in USUAL.items() if known == port)
    return (f"*:{port}/*", f"*:{port}", *usual)

"""Ask the net about a domain's mail: a file over https, and whether a server answers; nobody is told who asks."""

import socket
import ssl

import httpx

from sayso.providers.accounts.records import Names
from sayso.providers.mail.joining.autoconfig import MOST
from sayso.providers.mail.joining.finding import Net
from sayso.providers.mail.joining.servers import Way

SECONDS = 4.0
_OK = 200
_GREETINGS = (b"220", b"* OK")


def the_net() -> Net:
    """Return the net that this computer is on."""
    return Net(Names(), text_at, answers)


def text_at(url: str) -> bytes:
    """Return what stands at an address; nothing where that cannot be had, or is somewhere else."""
    try:
        with (
            httpx.Client(timeout=SECONDS, trust_env=False, verify=ssl.create_default_context()) as client,
            client.stream("GET", url, headers={"User-Agent": "sayso", "Accept-Encoding": "identity"}) as answer,
        ):
            if answer.status_code != _OK:
                return b""
            data = b""
            for piece in answer.iter_bytes():
                data += piece
                if len(data) > MOST:
                    return b""
            return data
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return b""


def answers(way: Way) -> bool:
    """Say whether a server is there that can prove its name or, where it begins plainly, that greets as one of mail."""
    try:
        with socket.create_connection((way.host, way.port), SECONDS) as plain:
            if way.protection != "tls":
                return plain.recv(512).startswith(_GREETINGS)
            with ssl.create_default_context().wrap_socket(plain, server_hostname=way.host):
                return True
    except (OSError, UnicodeError):
        return False

"""A real SMTP server that records what came over the wire, and cuts the connection where it is told to."""

import ssl
import threading
import warnings
from asyncio import WriteTransport
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from tests.desktop_env.ports import free_port

USER, PASSWORD = "ana@example.test", "open sesame"
Cut = Literal["EHLO", "AUTH", "MAIL", "RCPT", "DATA", "half", "dot", "250", ""]


class Server(SMTP):
    """The protocol, which hangs up in the middle of DATA where it is told to."""

    async def smtp_DATA(self, arg: str) -> None:
        self.event_handler.heard.append("DATA")
        if self.event_handler.cut == "DATA":
            hang_up(self)
            return
        await super().smtp_DATA(arg)

    async def smtp_QUIT(self, arg: str) -> None:
        if self.event_handler.cut == "250":
            hang_up(self)
            return
        await super().smtp_QUIT(arg)


class RecordingSmtp:
    """What the server heard, and what it took; `cut` and `answers` say how it behaves."""

    def __init__(self, word: str = "") -> None:
        """Let `USER` in with `PASSWORD`, or, where there is a `word`, anybody who knows it."""
        self._word = word
        self.heard: list[str] = []
        self.accepted: list[tuple[str, list[str], bytes]] = []
        """Sender, recipients and bytes of each message that was taken, whoever was told of it."""
        self.cut: Cut = ""
        self.answers: dict[str, str] = {}
        self.port = free_port()

    async def handle_EHLO(
        self, server: Server, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.heard.append(f"EHLO {hostname}")
        self._maybe_cut(server, "EHLO")
        session.host_name = hostname
        return responses

    async def handle_MAIL(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.heard.append(f"MAIL {address}")
        self._maybe_cut(server, "MAIL")
        if "MAIL" in self.answers:
            return self.answers["MAIL"]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.heard.append(f"RCPT {address}")
        self._maybe_cut(server, "RCPT")
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        if "." in self.answers:
            return self.answers["."]
        content = envelope.original_content or b""
        self.accepted.append((envelope.mail_from or "", list(envelope.rcpt_tos), content))
        self._maybe_cut(server, "dot")
        return "250 taken"

    def signed_in(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        """Say whether somebody may sign in."""
        self.heard.append(f"AUTH {mechanism}")
        self._maybe_cut(server, "AUTH")
        known = (
            data.password == self._word.encode()
            if self._word
            else (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        )
        return AuthResult(success=known, handled=known)

    async def auth_XOAUTH2(self, server: SMTP, arguments: list[str]) -> AuthResult:
        """Let in whoever has the token, which is `PASSWORD`."""
        self.heard.append("AUTH XOAUTH2")
        said = b64decode(arguments[1])
        known = said == f"user={USER}\x01auth=Bearer {PASSWORD}\x01\x01".encode()
        return AuthResult(success=known, handled=False)

    def _maybe_cut(self, server: SMTP, where: Cut) -> None:
        if self.cut == where:
            hang_up(server)


def hang_up(server: SMTP) -> None:
    """Cut the connection without a word."""
    if isinstance(server.transport, WriteTransport):
        server.transport.abort()


@contextmanager
def smtp(
    *, login: bool = False, word: str = "", tls: ssl.SSLContext | None = None, starttls: bool = False
) -> Generator[RecordingSmtp]:
    """Yield a server on a free port of this machine; it ends with the block."""
    post = RecordingSmtp(word)

    class Listening(Controller):
        def factory(self) -> Server:
            with warnings.catch_warnings():
                # It warns of passwords without TLS; they never leave this machine.
                warnings.simplefilter("ignore", UserWarning)
                return Server(
                    post,
                    hostname="mail.example.test",
                    auth_required=login,
                    auth_require_tls=False,
                    authenticator=post.signed_in if login else None,
                    tls_context=tls if starttls else None,
                )

    controller = Listening(
        post, hostname="127.0.0.1", port=post.port, ready_timeout=30, ssl_context=None if starttls else tls
    )
    controller.start()
    try:
        yield post
    finally:
        gone = threading.Event()
        controller.loop.call_soon_threadsafe(_let_go, controller, gone)
        gone.wait()
        controller.stop()


def _let_go(controller: Controller, gone: threading.Event, turns: int = 3) -> None:
    """End the connections whose other end has not been heard to go yet, so that none outlives the loop.

    One whose handshake is not over is known to the loop alone, and one that was just accepted only after some turns.
    """
    if controller.server is not None:
        controller.server.close()
    for transport in list(vars(controller.loop)["_transports"].values()):
        transport.abort()
    if turns:
        controller.loop.call_soon(_let_go, controller, gone, turns - 1)
    else:
        gone.set()

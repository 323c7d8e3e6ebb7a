"""Why a server cannot be reached or believed, each cause in words of its own."""

import socket
import ssl
from errno import EHOSTUNREACH, ENETUNREACH

_ANOTHER_NAME = frozenset({62, 63, 64})
_SIGNED_ITSELF = frozenset({18, 19})
_EXPIRED, _NOT_YET = 10, 9
_NO_WAY = frozenset({ENETUNREACH, EHOSTUNREACH})


def chain(wrong: BaseException) -> tuple[BaseException, ...]:
    """Return an error and what led to it, the outermost first."""
    found: list[BaseException] = []
    now: BaseException | None = wrong
    while now is not None and now not in found:
        found.append(now)
        now = now.__cause__ or now.__context__
    return tuple(found)


def why_not_reached(wrong: BaseException, host: str) -> str:
    """Say why there is no connection, for the end of a sentence; empty where it is for another reason."""
    for one in chain(wrong):
        if isinstance(one, socket.gaierror):
            return f"there is no server called “{host}”, or this computer is not online"
        if isinstance(one, ConnectionRefusedError):
            return "nothing listens there; the port may be another one"
        if isinstance(one, TimeoutError):
            return "it does not answer"
        if isinstance(one, OSError) and one.errno in _NO_WAY:
            return "there is no way to it from here; is this computer online?"
    return ""


def why_not_believed(wrong: BaseException, host: str) -> str:
    """Say why a server's certificate proves nothing, for the middle of a sentence; empty where none was at fault."""
    found = next((one for one in chain(wrong) if isinstance(one, ssl.SSLCertVerificationError)), None)
    if found is None:
        return ""
    code = found.verify_code
    if code in _ANOTHER_NAME:
        return f"its certificate is for another name than “{host}”; write the name that your provider gives"
    if code in _SIGNED_ITSELF:
        return (
            "its certificate is signed by itself or by nobody this computer trusts; if the server is your own, "
            "name the file of its certificate in SSL_CERT_FILE"
        )
    if code in {_EXPIRED, _NOT_YET}:
        return "its certificate is not valid today: it has run out, or this computer's clock is wrong"
    return (
        f"its certificate is vouched for by nobody this computer trusts ({found.verify_message}); "
        "if the server is your own, name the file of its certificate in SSL_CERT_FILE"
    )


def speaks_no_tls(wrong: BaseException) -> bool:
    """Say whether it answered with what is no TLS."""
    return any(isinstance(one, ssl.SSLError) for one in chain(wrong)) and not why_not_believed(wrong, "")
